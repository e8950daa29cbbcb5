// SPDX-License-Identifier: Apache-2.0

extension DaemonConfiguration {
    /// Returns the position of a top-level key or of its value on the same line. The TOML library reports the positions of
    /// syntax errors only.
    static func position(of key: String, in text: String, orValue isValue: Bool) -> (line: Int, column: Int) {
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let start = line.drop { $0 == " " || $0 == "\t" || $0 == "\"" || $0 == "[" }
            guard start.hasPrefix(key) else { continue }
            let rest = start.dropFirst(key.count).drop { $0 == " " || $0 == "\t" || $0 == "\"" }
            guard let next = rest.first, "=.]".contains(next) else { continue }
            let value = rest.dropFirst().drop { $0 == " " || $0 == "\t" }
            let place = isValue && next == "=" && !value.isEmpty ? value.startIndex : start.startIndex
            return (index + 1, line.distance(from: line.startIndex, to: place) + 1)
        }
        return (1, 1)
    }
}
