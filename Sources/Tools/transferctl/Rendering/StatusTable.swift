// SPDX-License-Identifier: Apache-2.0
import TransferBusProtocol
import TransferModel

/// A table of transfers, and of commands that run under conditions. Each has a line, followed by its error or wait reason.
struct StatusTable {
    private typealias Row = (id: String, state: String, done: String, name: String, detail: String?)

    private let rows: [Row]
    private let width: Int

    /// Creates a table of transfers, followed by commands.
    ///
    /// - Parameter isGrouped: Whether more than three neighbors that wait for the same reason and have no bytes yet are a
    ///   single line.
    init(_ transfers: [TransferStatus], _ commands: [CommandStatus] = [], width: Int, isGrouped: Bool = false) {
        self.width = width
        rows =
            Self.runs(of: transfers, isGrouped: isGrouped).map { Self.row(of: $0) }
            + commands.map {
                let detail = $0.explanation.reasons.isEmpty ? nil : $0.explanation.sentence
                return ($0.reference, $0.state.rawValue, "", $0.name, detail)
            }
    }

    /// Returns the transfers in runs, each of which is a line.
    private static func runs(of transfers: [TransferStatus], isGrouped: Bool) -> [ArraySlice<TransferStatus>] {
        var runs: [ArraySlice<TransferStatus>] = []
        var rest = transfers[...]
        while let first = rest.first {
            let run = rest.prefix { isGrouped && $0.isLike(first) }
            runs += run.count > 3 ? [run] : rest.prefix(max(1, run.count)).indices.map { rest[$0...$0] }
            rest = rest.dropFirst(max(1, run.count))
        }
        return runs
    }

    private static func row(of run: ArraySlice<TransferStatus>) -> Row {
        let (first, last) = (run[run.startIndex], run[run.endIndex - 1])
        let state = first.state.displayName
        guard run.count > 1 else {
            return (first.id.description, state, done(first), first.name, first.error ?? first.sentence)
        }
        return ("\(first.id)-\(last.id)", state, "", "\(run.count) files: \(first.name) … \(last.name)", first.sentence)
    }

    /// The lines of the table, header first, separated by line feeds, without unsafe characters.
    var text: String {
        let idWidth = max(2, rows.map(\.id.utf8.count).max() ?? 0)
        let doneWidth = max(4, rows.map(\.done.utf8.count).max() ?? 0)
        func cell(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.utf8.count) + 2)
        }
        let indent = String(repeating: " ", count: idWidth + 2)
        // Neighboring transfers often wait for the same reason.
        var last: (detail: String, lines: String)?
        var text = ""
        for row in [("ID", "STATE", "DONE", "NAME", nil)] + rows {
            let line = cell(row.id, idWidth) + cell(row.state, 9) + cell(row.done, doneWidth) + row.name
            text += (text.isEmpty ? "" : "\n") + Formatting.fitted(line, width: width)
            guard let detail = row.detail else { continue }
            if last?.detail != detail {
                let lines = Formatting.wrapped(detail, width: max(20, width - idWidth - 2))
                last = (detail, lines.map { "\n" + indent + $0 }.joined())
            }
            text += last?.lines ?? ""
        }
        return text
    }

    /// Returns the progress and the rate of a transfer.
    private static func done(_ row: TransferStatus) -> String {
        let bytes = Formatting.bytes(row.bytes)
        if row.state == .finished { return bytes }
        if row.state.isEnded, row.bytes == 0 { return "" }
        let share = row.share.map { "\($0) of \(Formatting.bytes(row.total ?? 0))" } ?? bytes
        return row.state == .running ? share + (row.speed.map { " \($0)" } ?? "") : share
    }
}

extension TransferStatus {
    /// Returns whether both transfers wait for the same reason, have no bytes yet, and have adjacent lines in a list.
    fileprivate func isLike(_ other: TransferStatus) -> Bool {
        state == .waiting && error == nil && bytes == 0 && sentence != nil && other.state == .waiting
            && sentence == other.sentence && other.bytes == 0 && other.error == nil
    }
}
