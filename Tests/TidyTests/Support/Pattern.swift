// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A regular expression for a search of all files. Swift's `Regex` takes ten times as long in a build for tests, because
/// its engine is generic code.
struct Pattern: Sendable {
    private let expression: NSRegularExpression?

    /// A pattern without matches if `text` is invalid.
    init(_ text: String) { expression = try? NSRegularExpression(pattern: text, options: .anchorsMatchLines) }

    /// Whether the pattern occurs in `text`.
    func isIn(_ text: String) -> Bool {
        expression?.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
    }

    /// Returns `text` with another text in place of each match.
    func replacing(in text: String, with other: String) -> String {
        let range = NSRange(text.startIndex..., in: text)
        return expression?.stringByReplacingMatches(in: text, range: range, withTemplate: other) ?? text
    }

    /// The matches in `text`. The position counts UTF-16 units; the groups begin with the whole match.
    func matches(in text: String) -> [(position: Int, groups: [String])] {
        let whole = text as NSString
        let found = expression?.matches(in: text, range: NSRange(location: 0, length: whole.length)) ?? []
        return found.map { match in
            let groups = (0..<match.numberOfRanges).map { group in
                let range = match.range(at: group)
                return range.location == NSNotFound ? "" : whole.substring(with: range)
            }
            return (match.range.location, groups)
        }
    }
}
