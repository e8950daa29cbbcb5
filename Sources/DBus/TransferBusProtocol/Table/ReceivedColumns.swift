// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// The received columns of a table or a packed table. A missing column has no value in any row.
struct ReceivedColumns {
    /// A received column of texts. Each text is converted once, regardless of the number of its rows.
    struct Texts<Value> {
        fileprivate let words: [Value?]
        /// The index of each row's text; `nil` if each row has a text of its own.
        fileprivate let indices: NumberColumn?

        subscript(row: Int) -> Value? {
            guard let indices else { return words[row] }
            return indices[row].flatMap { words[Int($0)] }
        }
    }

    private(set) var ids = NumberColumn(0)
    private let numbers: [String: VariantValue]
    private let texts: [String: VariantValue]
    private var count: Int { ids.numbers.count }

    init(_ values: [VariantValue]) throws(BusFault) {
        numbers = values.first?.dictionary ?? [:]
        texts = values.last?.dictionary ?? [:]
        if let value = numbers["id"] { ids = try Self.column(value, "id") }
    }

    func numbers(_ key: String) throws(BusFault) -> NumberColumn {
        guard let value = numbers[key] else { return NumberColumn(0) }
        let column = try Self.column(value, key)
        try check(column.numbers.count, key)
        return column
    }

    func texts(_ key: String) throws(BusFault) -> Texts<String> { try texts(key) { $0 } }

    func texts<Value>(_ key: String, as value: (String) -> Value?) throws(BusFault) -> Texts<Value> {
        guard let parts = texts[key]?.items else { return Texts(words: [], indices: NumberColumn(0)) }
        let words = try Self.words(parts, key)
        let indices = try Self.column(parts.last ?? .other, key)
        let values = words.map { $0.flatMap(value) }
        if case .bytes([]) = parts.last {
            try check(words.count, key)
            return Texts(words: values, indices: nil)
        }
        try check(indices.numbers.count, key)
        guard indices.numbers.allSatisfy({ $0 == -1 || words.indices.contains(Int(clamping: $0)) }) else {
            throw BusFault(.invalidArgument, "the column '\(key)' of the daemon's reply refers to a missing text")
        }
        return Texts(words: values, indices: indices)
    }

    /// Returns the texts of a column, from a list or from bytes and the ends of the texts in them.
    private static func words(_ parts: [VariantValue], _ key: String) throws(BusFault) -> [String?] {
        guard case .bytes(let texts) = parts.first else { return (parts.first?.items ?? []).map(\.string) }
        var (words, start): ([String?], Int) = ([], 0)
        for end in try column(parts.count == 3 ? parts[1] : .other, key).numbers {
            guard end >= start, end <= texts.count else { throw BusFault.wrongColumn(key) }
            words.append(String(decoding: texts[start..<Int(end)], as: UTF8.self))
            start = Int(end)
        }
        return words
    }

    private static func column(_ value: VariantValue, _ key: String) throws(BusFault) -> NumberColumn {
        guard let column = NumberColumn(value) else { throw BusFault.wrongColumn(key) }
        return column
    }

    private func check(_ rows: Int, _ key: String) throws(BusFault) {
        guard rows == count else {
            throw BusFault(
                .invalidArgument, "the column '\(key)' of the daemon's reply has \(rows) rows, not \(count)")
        }
    }
}

extension BusFault {
    fileprivate static func wrongColumn(_ key: String) -> BusFault {
        BusFault(.invalidArgument, "the column '\(key)' of the daemon's reply has the wrong form")
    }
}
