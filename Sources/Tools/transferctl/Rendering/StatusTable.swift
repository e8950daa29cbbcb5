// SPDX-License-Identifier: Apache-2.0
import TransferModel

/// A table of transfers. Each transfer has a line, followed by its error or wait reason.
struct StatusTable {
    let rows: [TransferStatus]
    let width: Int

    /// The lines of the table, header first, separated by line feeds. One text, because tens of thousands of lines take
    /// longer to join than to make.
    var text: String {
        let ids = rows.map { "\($0.id)" }
        let idWidth = max(2, ids.map(\.utf8.count).max() ?? 0)
        let done = rows.map(Self.done)
        let doneWidth = max(4, done.map(Formatting.columns).max() ?? 0)
        let head = Self.padded("ID", idWidth) + "  STATE      " + Self.padded("DONE", doneWidth) + "  NAME"
        var text = Formatting.fitted(head, width: width)
        text.reserveCapacity(rows.count * 120)
        // Neighboring transfers often wait for the same reason.
        var last: (detail: String, lines: String)?
        for (row, (id, done)) in zip(rows, zip(ids, done)) {
            var line = Self.padded(id, idWidth)
            line += "  "
            line += Self.padded(row.state.displayName, 9)
            line += "  "
            line += Self.padded(done, doneWidth)
            line += "  "
            line += row.name
            text += "\n"
            text += Formatting.fitted(line, width: width)
            guard let detail = row.error ?? row.sentence else { continue }
            let lines = last?.detail == detail ? last?.lines : nil
            let shown = lines ?? indented(detail, by: idWidth + 2)
            last = (detail, shown)
            text += shown
        }
        return text
    }

    /// Returns the lines of a detail, each after a line feed.
    private func indented(_ detail: String, by indent: Int) -> String {
        Formatting.wrapped(detail, width: max(20, width - indent))
            .map { "\n" + String(repeating: " ", count: indent) + $0 }.joined()
    }

    /// Returns the progress and the rate of a transfer.
    private static func done(_ row: TransferStatus) -> String {
        let bytes = Formatting.bytes(row.bytes)
        if row.state == .finished { return bytes }
        if row.state.isEnded, row.bytes == 0 { return "" }
        let share = row.share.map { "\($0) of \(Formatting.bytes(row.total ?? 0))" } ?? bytes
        return row.state == .running ? share + (row.speed.map { " \($0)" } ?? "") : share
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        let missing = width - Formatting.columns(text)
        return missing > 0 ? text + String(repeating: " ", count: missing) : text
    }
}
