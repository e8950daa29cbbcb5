// SPDX-License-Identifier: Apache-2.0

/// A file as an ordinary, well-behaved server would serve it. Hostile handlers change one aspect of the response.
public struct ServedFile: Sendable {
    /// The content of the file.
    public var bytes: [UInt8]
    /// The `ETag` value, including its quotes.
    public var entityTag: String?
    /// The `Last-Modified` value.
    public var lastModified: String?
    /// The `Date` value.
    public var date: String? = "Sat, 01 Aug 2026 12:00:00 GMT"
    /// A Boolean value that indicates whether the server honors `Range`.
    public var acceptsRanges = true
    /// Additional header fields for every response.
    public var extraFields: [String] = []

    /// Creates a file with the given content.
    public init(bytes: [UInt8], entityTag: String? = "\"v1\"", lastModified: String? = nil) {
        self.bytes = bytes
        self.entityTag = entityTag
        self.lastModified = lastModified
    }

    /// Returns pseudorandom bytes, so that a mixed or shifted file is detected.
    public static func content(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        // Eight bytes are generated at a time. Generating single bytes takes seconds in
        // unoptimized or instrumented builds.
        let words = (0..<(count + 7) / 8).map { _ in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state
        }
        return words.withUnsafeBytes { Array($0.prefix(count)) }
    }

    /// The header fields that identify the version, and the extra fields.
    public var fields: [String] {
        [entityTag.map { "ETag: \($0)" }, lastModified.map { "Last-Modified: \($0)" }, date.map { "Date: \($0)" }]
            .compactMap { $0 } + extraFields
    }

    /// Returns the status and fields of the correct response, and the part of the file that is its body.
    public func response(to request: HostileRequest) -> (status: String, fields: [String], body: ArraySlice<UInt8>) {
        let condition = request.value("If-Range")
        let isCurrent = condition == nil || condition == entityTag || condition == lastModified
        if let tag = request.value("If-None-Match"), tag == entityTag { return ("304 Not Modified", fields, []) }
        if let date = request.value("If-Modified-Since"), date == lastModified, request.value("If-None-Match") == nil {
            return ("304 Not Modified", fields, [])
        }
        guard acceptsRanges, isCurrent, let range = request.range else {
            return ("200 OK", fields + (acceptsRanges ? ["Accept-Ranges: bytes"] : []), bytes[...])
        }
        guard range.first < bytes.count else {
            return ("416 Range Not Satisfiable", fields + ["Content-Range: bytes */\(bytes.count)"], [])
        }
        let last = min(range.last ?? .max, bytes.count - 1)
        let line = "Content-Range: bytes \(range.first)-\(last)/\(bytes.count)"
        return ("206 Partial Content", fields + [line], bytes[range.first...last])
    }

    /// Sends the correct response.
    public func serve(_ request: HostileRequest, _ connection: HostileConnection) {
        let (status, fields, body) = response(to: request)
        if status.hasPrefix("304") {
            connection.send((["HTTP/1.1 \(status)"] + fields).joined(separator: "\r\n") + "\r\n\r\n")
        } else {
            connection.respond(status, fields, body: body)
        }
    }

    /// Sends the correct response up to the file's byte `end`, and then stalls until the client disconnects.
    public func serve(_ request: HostileRequest, _ connection: HostileConnection, stallingAt end: Int) {
        let body = response(to: request).body
        guard body.endIndex > end else { return serve(request, connection) }
        serve(request, connection, onlyBytes: max(0, end - body.startIndex))
        connection.waitForClient()
    }

    /// Sends the correct response, and calls `wait` after the first `count` bytes of its body.
    public func serve(
        _ request: HostileRequest, _ connection: HostileConnection, first count: Int, then wait: () -> Void
    ) {
        serve(request, connection, onlyBytes: count)
        wait()
        connection.send(response(to: request).body.dropFirst(count))
    }

    /// Sends the head and only the first `count` bytes of the body.
    public func serve(_ request: HostileRequest, _ connection: HostileConnection, onlyBytes count: Int) {
        let (status, fields, body) = response(to: request)
        connection.respond(status, fields + ["Content-Length: \(body.count)"], body: body.prefix(count))
    }
}
