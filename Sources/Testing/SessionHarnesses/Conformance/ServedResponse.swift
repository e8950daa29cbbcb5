// SPDX-License-Identifier: Apache-2.0

/// The response of the rules' server at a URL.
package enum ServedResponse: Hashable, Sendable {
    /// A file of the given size, also in ranges. ``content(_:)`` returns its bytes.
    case file(Int)
    /// A file of the given size whose transfer stalls. The first `times` requests that reach the offset `at` receive
    /// no further bytes. Later requests receive the whole file.
    case stalling(Int, at: Int, times: Int)
    /// A response with a status and a body.
    case status(Int, body: String)
    /// A redirect to a URL.
    case redirect(to: String)
    /// A file of the given size, for clients with these Basic credentials.
    case login(user: String, password: String, Int)
    /// A file of the given size, for clients with this token.
    case token(String, Int)
    /// The number of bytes that the client sent.
    case upload

    /// Returns the contents of the file of a size.
    package static func content(_ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    }
}

/// A request that the rules' server has received.
package struct ServedRequest: Hashable, Sendable {
    package var method: String
    /// The path with its query.
    package var target: String
    /// The header fields by lower-case name. Of several fields with the same name, the first.
    package var fields: [String: String]
    package var body: [UInt8] = []

    /// The first and last byte of `Range: bytes=a-b`. The last byte is `nil` for `a-`.
    var range: (first: Int, last: Int?)? {
        guard let text = fields["range"], text.hasPrefix("bytes=") else { return nil }
        let parts = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let first = Int(parts[0]) else { return nil }
        return (first, Int(parts[1]))
    }
}

extension ServedRequest {
    /// Parses the head of a request, without its empty line.
    init(head: String) {
        // "\r\n" is a single Character in Swift.
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
