// SPDX-License-Identifier: Apache-2.0
import Glibc
import HostileServer
import Synchronization

/// The server's side of downloads, which sends some files slowly and records all requests.
final class StressDownloads: Sendable {
    private struct State {
        /// The number of times that each file was sent to its end.
        var deliveries: [String: Int] = [:]
        var closed: Set<String> = []
        var requestedAgain: [String] = []
    }

    private let state = Mutex(State())
    private let content: StressContent

    init(_ content: StressContent) { self.content = content }

    /// Marks a path as ended. Later requests for the path are recorded.
    func close(_ path: String) { state.withLock { _ = $0.closed.insert(path) } }

    /// The paths that were requested after their transfer had ended.
    var requestedAgain: [String] { state.withLock(\.requestedAgain) }

    /// The number of files, by the number of times that each file was sent to its end.
    var deliveries: [Int: Int] {
        state.withLock { state in state.deliveries.values.reduce(into: [:]) { $0[$1, default: 0] += 1 } }
    }

    func respond(_ request: HostileRequest, _ connection: HostileConnection) {
        let path = request.target
        state.withLock { if $0.closed.contains(path) { $0.requestedAgain.append(path) } }
        let (bytes, pause) = (content.bytes(path), content.pause(path))
        let file = ServedFile(bytes: Array(bytes), entityTag: "\"\(path)\"")
        let (status, fields, body) = file.response(to: request)
        let head = ["HTTP/1.1 \(status)"] + fields + ["Content-Length: \(body.count)"]
        guard connection.send(head.joined(separator: "\r\n") + "\r\n\r\n") else { return }
        for start in stride(from: body.startIndex, to: body.endIndex, by: 32 << 10) {
            guard connection.send(body[start..<min(start + 32 << 10, body.endIndex)]) else { return }
            if pause > 0 { usleep(pause) }
        }
        if body.endIndex == bytes.count { state.withLock { $0.deliveries[path, default: 0] += 1 } }
    }
}
