// SPDX-License-Identifier: Apache-2.0

/// How the rules' server answers at an address.
package enum ServedAnswer: Hashable, Sendable {
    /// With a file of that size, whose bytes ``content(_:)`` knows; in ranges, too.
    case file(Int)
    /// With a file of that size: the first so many requests that reach that byte get none from there on,
    /// later ones all.
    case stalling(Int, at: Int, times: Int)
    /// With a status and a body.
    case status(Int, body: String)
    /// With a redirect to an address.
    case redirect(to: String)
    /// With a file of that size to who logs in so, by Basic.
    case login(user: String, password: String, Int)
    /// With a file of that size to who has that token.
    case token(String, Int)
    /// With the number of the bytes that were sent.
    case upload

    /// The file of that size.
    package static func content(_ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    }
}

/// A request as the rules' server saw it.
package struct ServedRequest: Hashable, Sendable {
    package var method: String
    /// The path with its query.
    package var target: String
    /// The first of each name, by their names in lower case.
    package var fields: [String: String]
    package var body: [UInt8] = []

    /// First and last byte of `Range: bytes=a-b`; the last is nil for `a-`.
    var range: (first: Int, last: Int?)? {
        guard let text = fields["range"], text.hasPrefix("bytes=") else { return nil }
        let parts = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let first = Int(parts[0]) else { return nil }
        return (first, Int(parts[1]))
    }
}

extension ServedRequest {
    /// Reads a head without its empty line.
    init(head: String) {
        // "\r\n" is one Character in Swift.
        let lines = head.split(separator: "\r\n")
        let words = (lines.first ?? "").split(separator: " ")
        let fields = lines.dropFirst().compactMap { line -> (String, String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return (line[..<colon].lowercased(), String(line[line.index(after: colon)...].drop { $0 == " " }))
        }
        self.init(
            method: words.first.map(String.init) ?? "", target: words.count > 1 ? String(words[1]) : "",
            fields: Dictionary(fields, uniquingKeysWith: { first, _ in first }))
    }
}
