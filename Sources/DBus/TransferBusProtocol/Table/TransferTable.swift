// SPDX-License-Identifier: Apache-2.0
package import GLibBridge
package import TransferModel

/// A list of transfers in the form of the bus methods `Table` and `PackedTable`: one column per key instead of one
/// dictionary per transfer.
///
/// In GDBus, at both ends, ten thousand dictionaries of variants take about a hundred times as long as twenty
/// columns. GDBus visits each value separately. In a packed table, each column is a block of bytes, so that the number
/// of values does not depend on the number of transfers. A text that many transfers share is sent once.
package enum TransferTable {
    /// Returns the reply of `Table`: the columns of numbers and the columns of texts, as two dictionaries.
    package static func values(of rows: [TransferStatus]) -> [VariantValue] {
        let (numbers, texts) = columns(of: rows)
        return [.dictionary(numbers.mapValues(\.value)), .dictionary(texts.mapValues(\.value))]
    }

    /// Returns the reply of `PackedTable`. Columns without values are left out.
    package static func packed(_ rows: [TransferStatus]) -> [VariantValue] {
        let (numbers, texts) = columns(of: rows)
        return [.dictionary(numbers.compactMapValues(\.packed)), .dictionary(texts.compactMapValues(\.packed))]
    }

    private static func columns(
        of rows: [TransferStatus]
    ) -> (numbers: [String: NumberColumn], texts: [String: TextColumn]) {
        let count = rows.count
        var (ids, uploads, priorities) = (NumberColumn(count), NumberColumn(count), NumberColumn(count))
        var (bytes, totals, rates) = (NumberColumn(count), NumberColumn(count), NumberColumn(count))
        var (attempts, dates, codes) = (NumberColumn(count), NumberColumn(count), NumberColumn(count))
        // Nearly all addresses and names differ, so looking for equal ones would be in vain.
        var (urls, names) = (TextColumn(count, isShared: false), TextColumn(count, isShared: false))
        var (apps, sessions) = (TextColumn(count), TextColumn(count))
        var (kinds, states) = (TextColumn(count), TextColumn(count))
        var (sentences, paths) = (TextColumn(count), TextColumn(count))
        var (errorCodes, errors) = (TextColumn(count), TextColumn(count))
        var (deadlines, deadlineStates) = (NumberColumn(count), TextColumn(count))
        // A single pass over the rows, because copying each row for each column takes three times as long.
        for row in rows {
            ids.add(row.id.rawValue)
            uploads.add(row.isUpload ? 1 : 0)
            priorities.add(Int64(row.priority))
            bytes.add(row.bytes)
            totals.add(row.total)
            rates.add(row.rate)
            attempts.add(Int64(row.attempt))
            dates.add(BusDate(row.submitted).milliseconds)
            codes.add(row.status.map(Int64.init))
            urls.add(row.url)
            names.add(row.name)
            apps.add(row.app)
            sessions.add(row.session)
            kinds.add(row.kind.rawValue)
            states.add(row.state.rawValue)
            sentences.add(row.sentence)
            paths.add(row.path)
            errorCodes.add(row.errorCode)
            errors.add(row.error)
            deadlines.add(row.deadline.map { BusDate($0).milliseconds })
            deadlineStates.add(row.deadlineState?.rawValue)
        }
        return (
            [
                "id": ids, "upload": uploads, "priority": priorities, "bytes": bytes, "total": totals, "rate": rates,
                "attempt": attempts, "submitted": dates, "status": codes, "deadline": deadlines,
            ],
            [
                "url": urls, "name": names, "app": apps, "session": sessions, "kind": kinds, "state": states,
                "sentence": sentences, "path": paths, "error-code": errorCodes, "error": errors,
                "deadline-state": deadlineStates,
            ]
        )
    }

    /// Parses the reply of `Table` or `PackedTable`. Columns of a later version are ignored.
    ///
    /// - Throws: `BusFault` if a column has the wrong type or length, or if a required value is missing.
    package static func rows(_ values: [VariantValue]) throws -> [TransferStatus] {
        let columns = try ReceivedColumns(values)
        func needed<Value>(_ value: Value?, _ key: String) throws -> Value {
            guard let value else { throw BusFault(.invalidArgument, "the daemon's reply has no '\(key)'") }
            return value
        }
        let ids = columns.ids
        let (uploads, priorities) = (try columns.numbers("upload"), try columns.numbers("priority"))
        let (bytes, totals, rates) = (
            try columns.numbers("bytes"), try columns.numbers("total"), try columns.numbers("rate")
        )
        let (attempts, dates) = (try columns.numbers("attempt"), try columns.numbers("submitted"))
        let codes = try columns.numbers("status")
        let (urls, names) = (try columns.texts("url"), try columns.texts("name"))
        let (apps, sessions) = (try columns.texts("app"), try columns.texts("session"))
        let kinds = try columns.texts("kind", as: WorkKind.init)
        let states = try columns.texts("state", as: TransferStatus.State.init)
        let (sentences, paths) = (try columns.texts("sentence"), try columns.texts("path"))
        let (errorCodes, errors) = (try columns.texts("error-code"), try columns.texts("error"))
        let deadlines = try columns.numbers("deadline")
        let deadlineStates = try columns.texts("deadline-state", as: DeadlineState.init)
        return try ids.numbers.indices.map { row in
            var status = TransferStatus(
                id: TransferID(try needed(ids[row], "id")), url: try needed(urls[row], "url"),
                name: try needed(names[row], "name"), app: apps[row] ?? "", session: sessions[row],
                isUpload: uploads[row] == 1, kind: kinds[row] ?? .normal,
                priority: priorities[row].map { Int(clamping: $0) } ?? 500,
                state: try needed(states[row], "state"),
                submitted: BusDate(milliseconds: dates[row] ?? 0).wall)
            (status.bytes, status.total, status.rate) = (bytes[row] ?? 0, totals[row], rates[row])
            (status.attempt, status.status) = (Int(clamping: attempts[row] ?? 0), codes[row].map { Int(clamping: $0) })
            (status.sentence, status.path) = (sentences[row], paths[row])
            (status.errorCode, status.error) = (errorCodes[row], errors[row])
            status.deadline = deadlines[row].map { BusDate(milliseconds: $0).wall }
            status.deadlineState = deadlineStates[row]
            return status
        }
    }
}
