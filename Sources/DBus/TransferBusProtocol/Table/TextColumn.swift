// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// A column of texts to be sent: the texts, and for each row the index of its text, or −1.
struct TextColumn {
    private var words: [String] = []
    private var indices: [Int64] = []
    private var known: [String: Int64] = [:]
    private var last: (text: String, index: Int64)?
    private let isShared: Bool
    /// A Boolean value that indicates whether each row has a text of its own, in order.
    private var isPlain = true

    /// Creates an empty column with room for `count` rows.
    ///
    /// - Parameter isShared: A Boolean value that indicates whether equal texts are sent once, even if other texts lie
    ///   between them.
    init(_ count: Int, isShared: Bool = true) {
        self.isShared = isShared
        indices.reserveCapacity(count)
        if !isShared { words.reserveCapacity(count) }
    }

    mutating func add(_ text: String?) {
        guard let text else { return append(-1) }
        // Neighboring rows often have the same text.
        if let last, last.text == text { return append(last.index) }
        let index = isShared ? known[text] ?? Int64(words.count) : Int64(words.count)
        if index == words.count {
            words.append(text)
            if isShared { known[text] = index }
        }
        last = (text, index)
        append(index)
    }

    private mutating func append(_ index: Int64) {
        if index != indices.count { isPlain = false }
        indices.append(index)
    }

    /// The column in a table.
    var value: VariantValue {
        .list([.list(words.map(VariantValue.string)), .list(indices.map(VariantValue.integer))])
    }

    /// The column in a packed table: the texts, their ends, and the indices, which are left out if each row has a text
    /// of its own. The value is `nil` if no row has a text.
    var packed: VariantValue? {
        guard !words.isEmpty else { return nil }
        var (texts, ends): ([UInt8], [Int64]) = ([], [])
        ends.reserveCapacity(words.count)
        for word in words {
            texts += word.utf8
            ends.append(Int64(texts.count))
        }
        return .list([.bytes(texts), NumberColumn.packed(ends), NumberColumn.packed(isPlain ? [] : indices)])
    }
}
