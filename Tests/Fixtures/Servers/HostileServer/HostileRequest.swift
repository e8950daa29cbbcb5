// SPDX-License-Identifier: Apache-2.0

/// What a client sent.
public struct HostileRequest: Sendable {
    /// The method, as in `GET`.
    public var method: String
    /// The path with its query.
    public var target: String
    /// The fields in order.
    public var fields: [(name: String, value: String)]
    /// Which connection it came on, from 1.
    public var connection: Int

    /// The value of the first field of that name.
    public func value(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// First and last byte of `Range: bytes=a-b`; the last is nil for `a-`.
    public var range: (first: Int, last: Int?)? {
        guard let text = value("Range"), text.hasPrefix("bytes=") else { return nil }
        let parts = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let first = Int(parts[0]) else { return nil }
        return (first, Int(parts[1]))
    }

    /// `Content-Length`, where there is a number.
    public var contentLength: Int? { value("Content-Length").flatMap { Int($0) } }

    /// Whether the body comes in chunks.
    public var isChunked: Bool { value("Transfer-Encoding")?.lowercased().contains("chunked") ?? false }
}

extension HostileRequest {
    /// Reads a head without its empty line.
    init(head: String, connection: Int) {
        // "\r\n" is one Character in Swift.
        let lines = head.split(separator: "\r\n").map(String.init)
        let first = (lines.first ?? "").split(separator: " ")
        let fields = lines.dropFirst().compactMap { line -> (name: String, value: String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            return (String(line[..<colon]), String(value))
        }
        self.init(
            method: first.first.map(String.init) ?? "", target: first.count > 1 ? String(first[1]) : "",
            fields: fields, connection: connection)
    }
}
