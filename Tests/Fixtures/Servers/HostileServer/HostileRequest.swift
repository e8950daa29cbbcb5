// SPDX-License-Identifier: Apache-2.0

/// A request that the server received.
public struct HostileRequest: Sendable {
    /// The method, such as `GET`.
    public var method: String
    /// The path with its query.
    public var target: String
    /// The header fields in their order.
    public var fields: [(name: String, value: String)]
    /// The number of the connection that carried the request, starting at 1.
    public var connection: Int

    /// Returns the value of the first field with the given name, ignoring case.
    public func value(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// The first and last byte of `Range: bytes=a-b`. The last byte is `nil` for `a-`.
    public var range: (first: Int, last: Int?)? {
        guard let text = value("Range"), text.hasPrefix("bytes=") else { return nil }
        let parts = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let first = Int(parts[0]) else { return nil }
        return (first, Int(parts[1]))
    }

    /// The value of `Content-Length`, or `nil` if it is missing or not a number.
    public var contentLength: Int? { value("Content-Length").flatMap { Int($0) } }

    /// A Boolean value that indicates whether the body is chunked.
    public var isChunked: Bool { value("Transfer-Encoding")?.lowercased().contains("chunked") ?? false }
}

extension HostileRequest {
    /// Parses a head that does not include its final empty line.
    init(head: String, connection: Int) {
        // `"\r\n"` is a single `Character` in Swift.
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
