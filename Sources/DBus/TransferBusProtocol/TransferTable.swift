// SPDX-License-Identifier: Apache-2.0
package import GLibBridge
package import TransferModel

/// A list of transfers in the form of the bus method `Table`: one column per key instead of one dictionary per
/// transfer.
///
/// In GDBus, at both ends, ten thousand dictionaries of variants take about a hundred times as long as twenty
/// columns. GDBus visits each value separately. A column of numbers is sent as a single block of memory, and a text
/// that many transfers share is sent once.
package enum TransferTable {
    /// Returns the columns of numbers and the columns of texts, as two dictionaries.
    package static func values(of rows: [TransferStatus]) -> [VariantValue] {
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
        return [
            .dictionary([
                "id": ids.value, "upload": uploads.value, "priority": priorities.value, "bytes": bytes.value,
                "total": totals.value, "rate": rates.value, "attempt": attempts.value, "submitted": dates.value,
                "status": codes.value, "deadline": deadlines.value,
            ]),
            .dictionary([
                "url": urls.value, "name": names.value, "app": apps.value, "session": sessions.value,
                "kind": kinds.value, "state": states.value, "sentence": sentences.value, "path": paths.value,
                "error-code": errorCodes.value, "error": errors.value,
                "deadline-state": deadlineStates.value,
            ]),
        ]
    }

    /// Parses columns from the bus. Columns of a later version are ignored.
    ///
    /// - Throws: `BusFault` if a column has the wrong type or length, or if a required value is missing.
    package static func rows(_ values: [VariantValue]) throws -> [TransferStatus] {
        let columns = Columns(values)
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
        return try (0..<ids.count).map { row in
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

/// A column of numbers to be sent. A missing number is sent as −1.
private struct NumberColumn {
    private var numbers: [VariantValue] = []

    init(_ count: Int) { numbers.reserveCapacity(count) }

    var value: VariantValue { .list(numbers) }

    mutating func add(_ number: Int64?) { numbers.append(.integer(number ?? -1)) }
}

/// A column of texts to be sent: the distinct texts, and for each row the index of its text.
private struct TextColumn {
    private var words: [VariantValue] = []
    private var indices: [VariantValue] = []
    private var known: [String: Int64] = [:]
    private var last: (text: String, index: Int64)?
    private let isShared: Bool

    /// - Parameter isShared: A Boolean value that indicates whether equal texts are sent once even if other texts lie
    ///   between them.
    init(_ count: Int, isShared: Bool = true) {
        self.isShared = isShared
        indices.reserveCapacity(count)
        if !isShared { words.reserveCapacity(count) }
    }

    var value: VariantValue { .list([.list(words), .list(indices)]) }

    mutating func add(_ text: String?) {
        guard let text else { return indices.append(.integer(-1)) }
        // Neighboring rows often have the same text.
        if let last, last.text == text { return indices.append(.integer(last.index)) }
        let index = isShared ? known[text] ?? Int64(words.count) : Int64(words.count)
        if index == words.count {
            words.append(.string(text))
            if isShared { known[text] = index }
        }
        last = (text, index)
        indices.append(.integer(index))
    }
}

/// The received columns. A missing column has no value in any row.
private struct Columns {
    let ids: Numbers
    private let numbers: [String: VariantValue]
    private let texts: [String: VariantValue]

    /// A received column of numbers.
    struct Numbers {
        let values: [VariantValue]

        var count: Int { values.count }

        subscript(row: Int) -> Int64? {
            guard row < values.count, case .integer(let number) = values[row], number != -1 else { return nil }
            return number
        }
    }

    /// A received column of texts. Each text is converted once, regardless of the number of its rows.
    struct Texts<Value> {
        let words: [Value?]
        let indices: Numbers

        subscript(row: Int) -> Value? { indices[row].flatMap { words[Int($0)] } }
    }

    init(_ values: [VariantValue]) {
        numbers = values.first?.dictionary ?? [:]
        texts = values.last?.dictionary ?? [:]
        ids = Numbers(values: numbers["id"]?.items ?? [])
    }

    func numbers(_ key: String) throws -> Numbers { try checked(numbers[key]?.items, key) }

    func texts(_ key: String) throws -> Texts<String> { try texts(key) { $0 } }

    func texts<Value>(_ key: String, as value: (String) -> Value?) throws -> Texts<Value> {
        let words = texts[key]?.items.first?.items ?? []
        let indices = try checked(texts[key]?.items.last?.items, key)
        for row in 0..<indices.count where indices[row].map({ !words.indices.contains(Int(clamping: $0)) }) ?? false {
            throw BusFault(.invalidArgument, "the column '\(key)' of the daemon's reply refers to a missing text")
        }
        return Texts(words: words.map { $0.string.flatMap(value) }, indices: indices)
    }

    private func checked(_ column: [VariantValue]?, _ key: String) throws -> Numbers {
        guard let column else { return Numbers(values: []) }
        guard column.count == ids.count else {
            throw BusFault(
                .invalidArgument,
                "the column '\(key)' of the daemon's reply has \(column.count) rows, not \(ids.count)")
        }
        return Numbers(values: column)
    }
}
