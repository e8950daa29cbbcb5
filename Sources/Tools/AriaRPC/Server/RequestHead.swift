// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import Foundation

/// The first line and the header fields of a request (RFC 9112).
struct RequestHead {
    /// The request, without its body.
    private(set) var request: HTTPRequest
    /// The number of bytes of the body.
    private(set) var bodyBytes = 0

    /// Fields that must not be repeated, because the last would silently win.
    private static let unique: Set<String> = [
        "host", "origin", "content-length", "transfer-encoding", "sec-fetch-site",
    ]

    /// Parses the text before the body.
    ///
    /// - Throws: `RPCFault` that says what is wrong.
    init(_ text: String) throws(RPCFault) {
        let lines = text.split(separator: "\r\n", omittingEmptySubsequences: true)
        let words = (lines.first ?? "").split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, ["HTTP/1.1", "HTTP/1.0"].contains(words[2]) else {
            throw .invalidRequest("the first line must be METHOD PATH HTTP/1.1")
        }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":"), colon != line.startIndex,
                line[..<colon].utf8.allSatisfy({ (33...126).contains($0) })
            else {
                throw .invalidRequest("a header field must be 'Name: value'")
            }
            let name = line[..<colon].lowercased()
            guard fields[name] == nil || !Self.unique.contains(name) else {
                throw .invalidRequest("the header field '\(name)' is repeated")
            }
            fields[name] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        if let length = fields["content-length"] {
            guard !length.isEmpty, length.utf8.allSatisfy({ (48...57).contains($0) }) else {
                throw .invalidRequest("Content-Length must be a number of bytes")
            }
            // A number that is too large for Int is also too large for a body.
            bodyBytes = Int(length) ?? .max
        }
        let target = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        request = HTTPRequest(
            method: HTTPMethod(String(words[0])), version: HTTPVersion(String(words[2])),
            target: .init(path: String(target[0]), query: target.count > 1 ? String(target[1]) : ""),
            headers: HTTPHeaders(Dictionary(fields.map { (HTTPHeader($0), $1) }) { $1 }),
            body: HTTPBodySequence())
    }

    /// Whether the client sends another request on the connection.
    var isKeptAlive: Bool {
        let words = (request.headers[.connection] ?? "").lowercased().split { $0 == "," || $0 == " " }
        return request.version == .http11 ? !words.contains("close") : words.contains("keep-alive")
    }
}
