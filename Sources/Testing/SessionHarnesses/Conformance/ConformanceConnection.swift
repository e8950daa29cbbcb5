// SPDX-License-Identifier: Apache-2.0
internal import Foundation

/// A connection of the rules' server. Used on its own thread only, and every call blocks until it is done.
final class ConformanceConnection {
    /// The entity tag of all files, which never change.
    private static let tag = "\"v1\""

    private let number: Int32
    /// The bytes that were received but not read yet.
    private var pending: [UInt8] = []

    init(_ number: Int32) { self.number = number }

    // MARK: Requests

    /// Returns the next request with its body, or `nil` if the connection has ended.
    func readRequest() -> ServedRequest? {
        guard let head = read(until: [13, 10, 13, 10]) else { return nil }
        var request = ServedRequest(head: String(decoding: head, as: UTF8.self))
        if request.fields["expect"]?.lowercased() == "100-continue" {
            send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        }
        if request.fields["transfer-encoding"]?.lowercased().contains("chunked") == true {
            while let line = read(until: [13, 10]) {
                guard let size = Int(String(decoding: line.prefix { $0 != 59 }, as: UTF8.self), radix: 16),
                    let chunk = read(size), read(until: [13, 10]) != nil
                else { return nil }
                if size == 0 { return request }
                request.body += chunk
            }
            return nil
        }
        guard let body = read(request.fields["content-length"].flatMap { Int($0) } ?? 0) else { return nil }
        request.body = body
        return request
    }

    private func read(_ count: Int) -> [UInt8]? {
        while pending.count < count { guard receive() else { return nil } }
        defer { pending.removeFirst(count) }
        return Array(pending.prefix(count))
    }

    /// Reads up to and including `mark`, and returns the bytes before it.
    private func read(until mark: [UInt8]) -> [UInt8]? {
        while true {
            if let found = pending.firstRange(of: mark) {
                defer { pending.removeSubrange(..<found.upperBound) }
                return Array(pending[..<found.lowerBound])
            }
            guard receive() else { return nil }
        }
    }

    /// Waits for more bytes. Returns false if the connection has ended.
    private func receive() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        var count = recv(number, &bytes, bytes.count, 0)
        while count < 0, errno == EINTR { count = recv(number, &bytes, bytes.count, 0) }
        pending += bytes.prefix(max(0, count))
        return count > 0
    }

    // MARK: Responses

    /// Sends a response. Returns false if the connection has ended.
    ///
    /// - Parameter stalls: Begins a stall. Returns false if transfers do not stall anymore.
    func respond(_ response: ServedResponse?, time: Int, to request: ServedRequest, stalls: () -> Bool) -> Bool {
        switch response {
        case nil: return send("404 Not Found")
        case .file(let size): return sendFile(size, to: request)
        case .stalling(let size, let offset, let times):
            return sendFile(size, to: request, stallingAt: time <= times ? offset : nil, stalls)
        case .status(let status, let body): return send("\(status) As Asked", body: body.utf8)
        case .redirect(let target): return send("302 Found", ["Location: \(target)"])
        case .login(let user, let password, let size):
            let expected = "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
            guard request.fields["authorization"] == expected else {
                return send("401 Unauthorized", ["WWW-Authenticate: Basic realm=\"test\""])
            }
            return sendFile(size, to: request)
        case .token(let token, let size):
            guard request.fields["authorization"] == "Bearer \(token)" else {
                return send("401 Unauthorized", ["WWW-Authenticate: Bearer error=\"invalid_token\""])
            }
            return sendFile(size, to: request)
        case .upload: return send("200 OK", body: "\(request.body.count)".utf8)
        }
    }

    /// Sends the requested part of a file. With a stall offset, sends nothing from that offset on until the client
    /// disconnects or the server ends the stall.
    private func sendFile(
        _ size: Int, to request: ServedRequest, stallingAt offset: Int? = nil, _ stalls: () -> Bool = { false }
    ) -> Bool {
        let file = ServedResponse.content(size)
        var (status, fields, body) = ("200 OK", ["ETag: \(Self.tag)"], file[...])
        if let range = request.range, request.fields["if-range"] ?? Self.tag == Self.tag {
            guard range.first < size else {
                return send("416 Range Not Satisfiable", fields + ["Content-Range: bytes */\(size)"])
            }
            body = file[range.first...max(range.first, min(range.last ?? .max, size - 1))]
            status = "206 Partial Content"
            fields.append("Content-Range: bytes \(body.startIndex)-\(body.endIndex - 1)/\(size)")
        }
        guard let offset, body.endIndex > offset, stalls() else { return send(status, fields, body: body) }
        let part = body.prefix(max(0, offset - body.startIndex))
        guard send(status, fields, body: part, length: body.count) else { return false }
        while receive() { pending = [] }
        _ = send(Array(body.dropFirst(part.count)))
        return false
    }

    private func send(
        _ status: String, _ fields: [String] = [], body: some Collection<UInt8> = [UInt8](), length: Int? = nil
    ) -> Bool {
        let lines = ["HTTP/1.1 \(status)"] + fields + ["Content-Length: \(length ?? body.count)", "", ""]
        return send(Array(lines.joined(separator: "\r\n").utf8)) && send(Array(body))
    }

    @discardableResult
    private func send(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { buffer in
            var sent = 0
            while sent < buffer.count, let start = buffer.baseAddress {
                let count = Foundation.send(number, start + sent, buffer.count - sent, Int32(MSG_NOSIGNAL))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }
    }
}
