// SPDX-License-Identifier: Apache-2.0
public import HostileServer
import Synchronization

/// What is around a case: the file, another origin, and a memory for the case's handler.
public final class HostileScene: Sendable {
    /// The file as it should arrive.
    public let file: ServedFile
    /// The same URL's next version.
    public let newer: ServedFile
    /// A good server of another origin; speaks plainly.
    public let neighbour: HostileServer
    private let counts = Mutex<[String: Int]>([:])
    private let served = Mutex<HostileServer?>(nil)
    private let mended = Mutex(false)

    init() throws {
        let file = ServedFile(bytes: ServedFile.content(1000))
        self.file = file
        newer = ServedFile(bytes: ServedFile.content(900, seed: 2), entityTag: "\"v2\"")
        neighbour = try HostileServer(handler: file.serve)
    }

    /// The server that misbehaves.
    public var server: HostileServer? {
        get { served.withLock { $0 } }
        set { served.withLock { $0 = newValue } }
    }

    /// Whether the server behaves from now on.
    var isMended: Bool {
        get { mended.withLock { $0 } }
        set { mended.withLock { $0 = newValue } }
    }

    /// How often that was counted before.
    func count(_ what: String) -> Int {
        counts.withLock { counts in
            defer { counts[what, default: 0] += 1 }
            return counts[what, default: 0]
        }
    }

    func close() {
        server?.stop()
        neighbour.stop()
    }
}

extension HostileRequest {
    /// Target, range and condition on one line, as in `/f 400- if "v1"`.
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

    /// Whether it is the first request of a fresh attempt.
    var isFirst: Bool { range?.first == 0 }
}

extension HostileConnection {
    /// The head of the right answer, with some fields left out or added, and its body not yet sent.
    func sendHead(
        of file: ServedFile, _ request: HostileRequest, without: Set<String> = [], adding: [String] = [],
        status: String? = nil
    ) -> ArraySlice<UInt8> {
        let (right, fields, body) = file.answer(to: request)
        let all = fields + ["Content-Length: \(body.count)"]
        let kept = all.filter { field in !without.contains(String(field.prefix { $0 != ":" })) }
        send((["HTTP/1.1 \(status ?? right)"] + kept + adding).joined(separator: "\r\n") + "\r\n\r\n")
        return body
    }

    /// The right answer, with some fields left out or added.
    func serve(
        _ file: ServedFile, _ request: HostileRequest, without: Set<String> = [], adding: [String] = [],
        status: String? = nil
    ) {
        send(sendHead(of: file, request, without: without, adding: adding, status: status))
    }
}
