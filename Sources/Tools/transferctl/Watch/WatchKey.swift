// SPDX-License-Identifier: Apache-2.0

/// A key of a terminal.
enum WatchKey: Hashable, Sendable {
    case up
    case down
    case pageUp
    case pageDown
    case home
    case end
    case letter(Character)
    case other

    /// The keys by the end of their sequences: the final byte, and the parameters before a `~`.
    private static let sequences: [String: WatchKey] = [
        "A": .up, "B": .down, "H": .home, "F": .end, "1~": .home, "7~": .home, "4~": .end, "8~": .end, "5~": .pageUp,
        "6~": .pageDown,
    ]

    /// Returns the keys in a terminal's input, encoded by ECMA-48 and in xterm's form.
    static func keys(in bytes: [UInt8]) -> [WatchKey] {
        let text = String(decoding: bytes, as: UTF8.self)
        return text.matches(of: /\u{1B}[\[O]([^@-~]*)([@-~]?)|./.dotMatchesNewlines()).map { match in
            if let last = match.2 { return sequences["\(last == "~" ? match.1 ?? "" : "")\(last)"] ?? .other }
            switch Character(String(match.0)) {
            case "\0"..<" ", "\u{7F}", "\u{FFFD}", "\r\n": return .other
            case let letter: return .letter(letter)
            }
        }
    }
}
