// SPDX-License-Identifier: Apache-2.0
import TransferModel

/// The lines of the live view: conditions at the top, then the transfers under their states and reasons, the selected
/// transfer in full, and the keys at the bottom.
struct WatchScreen {
    let state: WatchState
    let width: Int
    let height: Int

    /// The lines of the screen, at most `height`.
    var lines: [ScreenLine] {
        let (top, bottom) = (head, foot)
        let room = max(0, height - top.count - bottom.count)
        // The list keeps at least four lines, if there are that many.
        let details = details.prefix(max(0, room - 4))
        let list = list(room: room - details.count)
        let space = Array(repeating: ScreenLine(), count: max(0, room - details.count - list.count))
        return Array((top + list + space + details + bottom).prefix(height))
    }

    private var head: [ScreenLine] {
        let conditions = WatchConditions(state.conditions)
        let (power, network) = ("Power \(conditions.power)", "Network \(conditions.network)")
        let both = "\(power)   \(network)"
        var lines = wrapped(Self.counts(Array(state.rows.values)), .bold)
        let isOneLine = Formatting.columns(both) <= width
        lines += isOneLine ? [ScreenLine(both)] : [power, network].flatMap { wrapped($0, .plain) }
        if let text = WatchConditions.hold(state.hold) { lines += wrapped("On hold: \(text)", .warning) }
        return lines + [ScreenLine()]
    }

    private static func counts(_ rows: [TransferStatus]) -> String {
        let parts = [
            ("running", rows.count { $0.state == .running }), ("waiting", rows.count { $0.state == .waiting }),
            ("paused", rows.count { $0.state == .paused }), ("ended", rows.count { $0.state.isEnded }),
        ].filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }
        let rate = rows.compactMap(\.rate).reduce(0, +)
        let total = rate > 0 ? ["\(Formatting.bytes(rate))/s"] : []
        return parts.isEmpty ? "no transfers" : (parts + total).joined(separator: " · ")
    }

    // MARK: List

    /// The transfers around the selected one, as many as fit. Each group has its heading, also if its first transfers do
    /// not fit.
    private func list(room: Int) -> [ScreenLine] {
        let rows = state.order
        let idWidth = max(2, rows.map { "\($0.id)".count }.max() ?? 0)
        let selected = rows.firstIndex { $0.id == state.selected } ?? 0
        var start = max(0, min(selected - room / 2, rows.count - room))
        while true {
            let (lines, end) = lines(from: start, of: rows, room: room, idWidth: idWidth)
            if end > selected || start >= selected { return lines }
            start += 1
        }
    }

    /// Returns the lines of the transfers from `start` that fit, and the index of the first one that does not.
    private func lines(
        from start: Int, of rows: [TransferStatus], room: Int, idWidth: Int
    ) -> (lines: [ScreenLine], end: Int) {
        var lines: [ScreenLine] = []
        for index in rows.indices[start...] {
            let row = rows[index]
            var heading: [ScreenLine] = []
            if index == start || rows[index - 1].heading != row.heading {
                heading = wrapped(row.heading, Self.style(row.state))
            }
            if index == start { heading = Array(heading.prefix(max(0, room - 1))) }
            guard lines.count + heading.count < room else { return (lines, index) }
            lines += heading + [line(row, idWidth: idWidth)]
        }
        return (lines, rows.count)
    }

    private func line(_ row: TransferStatus, idWidth: Int) -> ScreenLine {
        var line = ScreenLine()
        line.isSelected = row.id == state.selected
        line.add(line.isSelected ? "> " : "  ")
        line.add("\(row.id) ", width: idWidth + 1)
        guard row.bytes > 0 || row.state == .running else {
            line.add(row.name, width: max(1, width - line.columns))
            return line
        }
        let room = min(40, width / 2)
        line.add(row.name, width: max(1, width - line.columns - room - 1))
        line.add(" ")
        if row.state == .running {
            line.addProgress(of: row, row.numbers(withBytes: false, width: room), bar: 4...30, width: room)
        } else {
            line.add(row.state.isEnded ? Formatting.bytes(row.bytes) : row.share ?? Formatting.bytes(row.bytes), .dim)
        }
        return line
    }

    private static func style(_ state: TransferStatus.State) -> ScreenLine.TextStyle {
        switch state {
        case .running, .finished: .good
        case .failed: .bad
        case .waiting, .paused: .warning
        case .cancelled: .dim
        }
    }

    // MARK: Selection and foot

    /// Everything about the selected transfer but its wait reason, which is its heading.
    private var details: [ScreenLine] {
        guard let row = state.selected.flatMap({ state.rows[$0] }) else { return [] }
        let path = row.path.map { "\(row.isUpload ? "of" : "at") \($0)" }
        let size = row.total.map { " of \(Formatting.bytes($0))" } ?? ""
        let bytes = Formatting.bytes(row.bytes) + (row.state.isEnded ? "" : size)
        let progress = ([bytes] + row.pace).joined(separator: ", ")
        let due = row.deadline.map { "done by \(WatchConditions.time($0))" }
        let texts = [row.name, "\(row.isUpload ? "to" : "from") \(row.url)", path, progress, due].compactMap(\.self)
        return [ScreenLine(String(repeating: "─", count: width), .dim)] + texts.flatMap { wrapped($0, .plain) }
    }

    private func wrapped(_ text: String, _ style: ScreenLine.TextStyle) -> [ScreenLine] {
        Formatting.wrapped(text, width: max(10, width)).map { ScreenLine($0, style) }
    }

    private var foot: [ScreenLine] {
        if let message = state.message { return wrapped(message, state.isError ? .bad : .good) }
        if let id = state.confirming {
            return wrapped("Cancel \(id) \(state.rows[id]?.name ?? "") and delete its partial file? y/n", .warning)
        }
        let hold = state.hold.reason == nil ? "H hold" : "H release"
        let keys = ["↑↓", "p pause", "r resume", "n now", "c cancel", hold, "q quit"]
        let lines = [keys, Array(keys.prefix(4)), Array(keys.dropFirst(4))].map { $0.joined(separator: "  ") }
        let fits = Formatting.columns(lines[0]) <= width
        return (fits ? [lines[0]] : Array(lines.dropFirst())).map { ScreenLine($0, .dim) }
    }
}
