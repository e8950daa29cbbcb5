// SPDX-License-Identifier: Apache-2.0
import TransferModel

/// A table of transfers. Each transfer has a line, followed by its error or wait reason.
struct StatusTable {
    let rows: [TransferStatus]
    let width: Int

    /// The lines of the table, header first.
    var lines: [String] {
        let ids = rows.map { "\($0.id)" }
        let idWidth = max(2, ids.map(\.count).max() ?? 0)
        let done = rows.map(Self.done)
        let doneWidth = max(4, done.map(Formatting.columns).max() ?? 0)
        // Many transfers wait for the same reason.
        var details: [String: [String]] = [:]
        func detail(_ text: String) -> [String] {
            if let known = details[text] { return known }
            let lines = Formatting.wrapped(text, width: max(20, width - idWidth - 2)).map {
                String(repeating: " ", count: idWidth + 2) + $0
            }
            details[text] = lines
            return lines
        }
        let head = Self.padded("ID", idWidth) + "  STATE      " + Self.padded("DONE", doneWidth) + "  NAME"
        return [Formatting.fitted(head, width: width)]
            + zip(rows, zip(ids, done)).flatMap { row, texts -> [String] in
                let (id, done) = texts
                let line =
                    Self.padded(id, idWidth) + "  " + Self.padded(row.state.displayName, 9) + "  "
                    + Self.padded(done, doneWidth) + "  " + row.name
                return [Formatting.fitted(line, width: width)] + ((row.error ?? row.sentence).map(detail) ?? [])
            }
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
        text + String(repeating: " ", count: max(0, width - Formatting.columns(text)))
    }
}
