// SPDX-License-Identifier: Apache-2.0
import Glibc
import Rainbow
import ToolSupport
import TransferEngine
import TransferModel

/// A renderer that shows one live line per transfer: bar, bytes, rate and time left, or the wait reason. The number
/// of lines is limited by the screen. Ended transfers scroll up and stay.
///
/// An update costs next to nothing, however many transfers there are. The next `flush()` draws the changes.
struct LiveLines: TransferRenderer {
    /// A transfer with its latest event. The line is formatted when it is drawn, because few of thousands are ever
    /// visible.
    private struct Row {
        var status: TransferStatus
        var event: TransferEvent
        /// A Boolean value that indicates whether bytes have arrived since the attempt started.
        var hasBytes = false
    }

    let localTime: LocalTimeRules
    let total: Int
    /// The number of attempts without progress after which a transfer fails, or `nil` if it is not limited.
    private let attempts: Int?
    /// The number of transfers whose wait reasons are reported at a time.
    let explainedLimit: Int
    /// The sizes of the files that are compared with their checksums before any request, by the URL of the transfer.
    private let compared: [String: Int64]
    private var running: [TransferID: Row] = [:]
    private var waiting: [TransferID: Row] = [:]
    /// The identifiers of the waiting transfers, ascending.
    private var waitingOrder: [TransferID] = []
    /// The permanent lines above the live lines that have not been written yet.
    private var permanentText = ""
    /// The width of each live line on the screen, in columns.
    private var drawn: [Int] = []
    private var tally: TransferTally
    private var hasEnded = false
    private(set) var isDirty = false
    /// The stream of the terminal.
    private let descriptor: Int32

    init(
        localTime: LocalTimeRules, total: Int, explainedLimit: Int, attempts: Int? = nil,
        compared: [String: Int64] = [:], descriptor: Int32 = 1
    ) {
        (self.localTime, self.attempts, self.compared) = (localTime, attempts, compared)
        self.total = total
        self.explainedLimit = explainedLimit
        self.descriptor = descriptor
        tally = TransferTally(count: total)
    }

    mutating func show(_ status: TransferStatus, _ event: TransferEvent?) {
        isDirty = true
        guard let event else { return }  // The command itself caused the change.
        if let notice = tally.record(status, event) { addPermanent(status, notice) }
        switch event.kind {
        case .ended:
            running[status.id] = nil
            setWaiting(status.id, nil)
            let text =
                TransferText.sentence(
                    of: status, event, localTime: localTime, pace: tally.pace(of: status.id),
                    showsPath: descriptor == STDOUT_FILENO) ?? ""
            let mark = status.state == .finished ? "✓".green : "✗".red
            permanentText += "\(mark) \(status.name.printable): \(text.printable)\n"
        case .progressed, .started:
            setWaiting(status.id, nil)
            let hasBytes = event.kind == .progressed || running[status.id]?.hasBytes == true
            running[status.id] = Row(status: status, event: event, hasBytes: hasBytes)
        case .restarted(let cause):
            addPermanent(status, cause.sentence)
        case .deadline(_, let sentence):
            permanentText += "\("!".yellow) \(status.name.printable): \(sentence.printable)\n"
        case .waiting, .stopped, .retrying:
            running[status.id] = nil
            setWaiting(status.id, Row(status: status, event: event))
        }
    }

    private mutating func addPermanent(_ status: TransferStatus, _ text: String) {
        permanentText += "\(status.name.printable): \(text.printable)\n"
    }

    mutating func showMessage(_ text: String) {
        isDirty = true
        permanentText += text.printable + "\n"
    }

    mutating func end() {
        running = [:]
        waiting = [:]
        waitingOrder = []
        hasEnded = true
        isDirty = true
        if total > 1 { permanentText += tally.summary.printableLines + "\n" }
        flush()
    }

    private mutating func setWaiting(_ id: TransferID, _ new: Row?) {
        let old = waiting.updateValue(new, orRemove: id)
        guard old != (new != nil) else { return }
        let index = waitingOrder.insertionIndex(of: id)
        if new == nil { waitingOrder.remove(at: index) } else { waitingOrder.insert(id, at: index) }
    }

    /// Redraws the live lines in place, below the permanent lines. Uses a single write to avoid flicker.
    mutating func flush() {
        guard isDirty else { return }
        isDirty = false
        let width = Console.width(descriptor)
        // The rest of the screen is left for ended transfers.
        let room = max(1, Console.height(descriptor) - 2)
        // A short screen belongs to the transfers.
        let showsTotal = total > 1 && room > 2 && !hasEnded
        var lines = liveLines(width: width, room: showsTotal ? room - 1 : room)
        if showsTotal { lines.append(ScreenLine(tally.line, .dim)) }
        // A terminal that became narrower has wrapped the old lines, so they occupy more rows than were drawn.
        let rowsAbove = drawn.reduce(0) { $0 + max(1, ($1 + width - 1) / width) }
        var text = rowsAbove > 0 ? "\u{1B}[\(rowsAbove)A" : ""
        text += "\r\u{1B}[J" + permanentText
        text += lines.map { $0.drawn(width: width) + "\n" }.joined()
        permanentText = ""
        drawn = lines.map { min(width, $0.columns) }
        Console.write(text, to: descriptor)
    }

    /// Returns the running and then the waiting transfers by ID, as many as fit. The last line counts the hidden
    /// transfers.
    private func liveLines(width: Int, room: Int) -> [ScreenLine] {
        guard !hasEnded else { return [] }
        // Only some of thousands of transfers are reported before they run.
        let known = running.count + waiting.count
        let count = max(known, total > explainedLimit ? total - tally.ended : 0)
        let groups = waitingGroups(unexplained: count - known, room: room)
        let all = running.sorted { $0.key < $1.key }.prefix(room).map { (row: $0.value, count: 1) } + groups
        let rows = all.prefix(room)
        // Wait reasons are shown in full if all of them fit.
        if count == rows.reduce(0, { $0 + $1.count }) {
            let lines = rows.flatMap { wrapped($0.row, width: width) }
            if lines.count <= room { return lines }
        }
        let shown = count > rows.reduce(0) { $0 + $1.count } ? rows.prefix(room - 1) : rows
        let hidden = count - shown.reduce(0) { $0 + $1.count }
        let lines = shown.map { line($0.row, width: width) }
        return hidden > 0 ? lines + [ScreenLine("… and \(hidden) more", .dim)] : lines
    }

    /// Returns the first waiting transfers, and their numbers. Several that wait for the same reason are one row.
    ///
    /// - Parameter unexplained: The number of transfers whose reasons are unknown. If all others have the same reason, so
    ///   have these.
    private func waitingGroups(unexplained: Int, room: Int) -> [(row: Row, count: Int)] {
        var members: [String: [Row]] = [:]
        var texts: [String] = []
        for case let row? in waitingOrder.prefix(max(room, explainedLimit)).map({ waiting[$0] }) {
            let text = text(row) ?? ""
            if members[text] == nil { texts.append(text) }
            members[text, default: []].append(row)
        }
        return texts.flatMap { text -> [(row: Row, count: Int)] in
            guard let rows = members[text], rows.count > 3 else {
                return members[text, default: []].map { ($0, 1) }
            }
            let count = rows.count + (texts.count == 1 ? unexplained : 0)
            var row = rows[0]
            row.status.name = "\(count) files"
            return [(row, count)]
        }
    }

    /// Returns the text beside the name, or `nil` if a bar shows the progress.
    private func text(_ row: Row) -> String? {
        if row.hasBytes { return nil }
        if case .started = row.event.kind {
            guard let bytes = compared[row.status.url] else { return "connecting to the server" }
            return "comparing the file that is there (\(Formatting.bytes(bytes))) with its checksum"
        }
        return TransferText.sentence(of: row.status, row.event, localTime: localTime, attempts: attempts) ?? ""
    }

    private func nameWidth(_ width: Int) -> Int { max(10, min(30, width / 3)) }

    /// Returns the start of a line: the name, padded to the width of its column.
    private func heading(_ name: String, width: Int) -> ScreenLine {
        var line = ScreenLine()
        line.add(name, .bold, width: nameWidth(width))
        line.add(" ")
        return line
    }

    /// Returns the row with its full wait reason, on as many lines as needed.
    private func wrapped(_ row: Row, width: Int) -> [ScreenLine] {
        let textWidth = width - nameWidth(width) - 1
        guard let text = text(row), !text.isEmpty, textWidth >= 20, Formatting.columns(text) > textWidth else {
            return [line(row, width: width)]
        }
        return Formatting.wrapped(text, width: textWidth).enumerated().map { index, part in
            var line = heading(index == 0 ? row.status.name : "", width: width)
            line.add(part)
            return line
        }
    }

    /// Returns the row on a single line.
    private func line(_ row: Row, width: Int) -> ScreenLine {
        var line = heading(row.status.name, width: width)
        if let text = text(row) {
            line.add(text)
        } else {
            let width = width - line.columns - 1
            let numbers = row.status.numbers(withBytes: true, width: width)
            line.addProgress(of: row.status, numbers, bar: 5...40, width: width)
        }
        return line
    }
}

extension Dictionary where Key == TransferID {
    /// Sets or (for `nil`) removes the value.
    ///
    /// - Returns: `true` if there was a value before.
    fileprivate mutating func updateValue(_ value: Value?, orRemove key: Key) -> Bool {
        guard let value else { return removeValue(forKey: key) != nil }
        return updateValue(value, forKey: key) != nil
    }
}

extension Array where Element == TransferID {
    /// Returns the first index of an ascending array whose element is not below `id`.
    fileprivate func insertionIndex(of id: TransferID) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
