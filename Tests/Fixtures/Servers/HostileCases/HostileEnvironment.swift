// SPDX-License-Identifier: Apache-2.0
public import HostileServer
import Synchronization

/// The environment of a case: the file, another origin, and counters for the case's handler.
public final class HostileEnvironment: Sendable {
    /// The file as it must arrive.
    public let file: ServedFile
    /// The next version of the file at the same URL.
    public let newer: ServedFile
    /// A correct server of another origin, without TLS.
    public let otherOrigin: HostileServer
    private let counts = Mutex<[String: Int]>([:])
    private let served = Mutex<HostileServer?>(nil)
    private let recovered = Mutex(false)

    init() throws {
        let file = ServedFile(bytes: ServedFile.content(1000))
        self.file = file
        newer = ServedFile(bytes: ServedFile.content(900, seed: 2), entityTag: "\"v2\"")
        otherOrigin = try HostileServer(handler: file.serve)
    }

    /// The misbehaving server.
    public var server: HostileServer? {
        get { served.withLock { $0 } }
        set { served.withLock { $0 = newValue } }
    }

    /// A Boolean value that indicates whether the server behaves correctly from now on.
    var hasRecovered: Bool {
        get { recovered.withLock { $0 } }
        set { recovered.withLock { $0 = newValue } }
    }

    /// Returns the number of earlier calls with this argument.
    func count(_ what: String) -> Int {
        counts.withLock { counts in
            defer { counts[what, default: 0] += 1 }
            return counts[what, default: 0]
        }
    }

    func close() {
        server?.stop()
        otherOrigin.stop()
    }
}

extension HostileRequest {
    /// The target, the range, and the condition on one line, such as `/f 400- if "v1"`.
    public var line: String {
        var line = (method == "GET" ? "" : method + " ") + target
        if let range = value("Range") {
            line += " " + (range.hasPrefix("bytes=") ? String(range.dropFirst(6)) : range)
        } else {
            line += " whole"
        }
        if let condition = value("If-Range") { line += " if " + condition }
        return line
    }

    /// A Boolean value that indicates whether this request continues the bytes of an earlier attempt.
    var isContinuing: Bool { range != nil }
}

extension HostileConnection {
    /// Sends the head of the correct response with some fields left out or added.
    ///
    /// - Returns: The body, which has not been sent.
    func sendHead(
        of file: ServedFile, _ request: HostileRequest, without: Set<String> = [], adding: [String] = [],
        status: String? = nil
    ) -> ArraySlice<UInt8> {
        let (right, fields, body) = file.response(to: request)
        let all = fields + ["Content-Length: \(body.count)"]
        let kept = all.filter { field in !without.contains(String(field.prefix { $0 != ":" })) }
        send((["HTTP/1.1 \(status ?? right)"] + kept + adding).joined(separator: "\r\n") + "\r\n\r\n")
        return body
    }

    /// Sends the correct response with some fields left out or added.
    func serve(
        _ file: ServedFile, _ request: HostileRequest, without: Set<String> = [], adding: [String] = [],
        status: String? = nil
    ) {
        send(sendHead(of: file, request, without: without, adding: adding, status: status))
    }
}
