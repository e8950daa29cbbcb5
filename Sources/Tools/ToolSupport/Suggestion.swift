// SPDX-License-Identifier: Apache-2.0

/// Suggestions for mistyped names: "did you mean …?"
package enum Suggestion {
    /// Returns `; did you mean 'NAME'?` for the known name that is most similar to a mistyped one, or an empty string.
    ///
    /// ```swift
    /// throw UsageError("unknown command 'lits'" + Suggestion.text(for: "lits", in: ["list", "log"]))
    /// ```
    package static func text(for typed: String, in names: some Sequence<String>) -> String {
        closest(to: typed, in: names).map { "; did you mean '\($0)'?" } ?? ""
    }

    /// Returns the error text for an unknown key of a file, with a suggestion or with all known keys.
    package static func unknownKey(_ key: String, known: [String]) -> String {
        let suggestion = text(for: key, in: known)
        return "unknown key '\(key)'"
            + (suggestion.isEmpty ? "; use one of \(known.joined(separator: ", "))" : suggestion)
    }

    /// Returns the known name that is most similar to `typed`, or `nil` if none is similar.
    ///
    /// A similar name differs by at most a third of its letters. A name that begins with `typed` is similar, too.
    package static func closest(to typed: String, in names: some Sequence<String>) -> String? {
        let typed = typed.lowercased()
        var best: (name: String, distance: Int)?
        for name in names {
            let isStart = typed.count >= 2 && name.lowercased().hasPrefix(typed)
            let distance = isStart ? 0 : distance(Array(typed), Array(name.lowercased()))
            let limit = max(1, max(typed.count, name.count) / 3)
            guard distance <= limit, distance < best?.distance ?? .max else { continue }
            best = (name, distance)
        }
        return best?.name
    }

    /// Returns the number of insertions, deletions, replacements, and swaps of neighbors between two words.
    private static func distance(_ first: [Character], _ second: [Character]) -> Int {
        var rows = [Array(0...second.count)]
        for (i, letter) in first.enumerated() {
            var row = [i + 1]
            for (j, other) in second.enumerated() {
                var cost = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (letter == other ? 0 : 1))
                if i > 0, j > 0, letter == second[j - 1], first[i - 1] == other {
                    cost = min(cost, rows[i - 1][j - 1] + 1)
                }
                row.append(cost)
            }
            rows.append(row)
        }
        return rows[first.count][second.count]
    }
}
