// SPDX-License-Identifier: Apache-2.0
import Glibc
import HostileServer
import Synchronization
import TransferPolicy

/// Serves files that their paths tell of, some of them slowly, and remembers who asked for what.
final class SoakServer: Sendable {
    private let content: SoakContent
    private let server: HostileServer

    init(seed: UInt64) throws {
        let content = SoakContent(seed: seed)
        self.content = content
        server = try HostileServer { content.answer($0, $1) }
    }

    func url(_ path: String) -> String { server.url(path) }

    /// The file of that path.
    func bytes(_ path: String) -> ArraySlice<UInt8> { content.bytes(path) }

    /// From now on nobody should ask for it any more.
    func close(_ path: String) { content.state.withLock { _ = $0.closed.insert(path) } }

    /// What was asked for though it was over.
    var askedAgain: [String] { content.state.withLock(\.askedAgain) }

    /// How many files were sent to their end so often: the first number is those sent once.
    var deliveries: [Int: Int] {
        content.state.withLock { state in state.deliveries.values.reduce(into: [:]) { $0[$1, default: 0] += 1 } }
    }

    func stop() {
        server.stop()
        server.forgetRequests()
    }
}

/// One content for all files, cut where each begins and ends.
private final class SoakContent: Sendable {
    struct State {
        /// How often each file was sent to its end.
        var deliveries: [String: Int] = [:]
        var closed: Set<String> = []
        var askedAgain: [String] = []
    }

    let state = Mutex(State())
    private let all = ServedFile.content(2 << 20, seed: 42)
    private let seed: UInt64

    init(seed: UInt64) { self.seed = seed }

    /// Sizes of all kinds: none, small ones, and some that take many writes and several pieces of time.
    private func shape(_ path: String) -> (range: Range<Int>, pause: UInt32) {
        var dice = SplitMix64(seed: path.utf8.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 })
        let size =
            switch Int.random(in: 0..<10, using: &dice) {
            case 0: 0
            case 1...5: Int.random(in: 1...20_000, using: &dice)
            case 6...8: Int.random(in: 1...300_000, using: &dice)
            default: Int.random(in: 1...(1 << 20), using: &dice)
            }
        let start = Int.random(in: 0...(all.count - size), using: &dice)
        return (start..<start + size, UInt32.random(in: 0...4, using: &dice) * 2_000)
    }

    func bytes(_ path: String) -> ArraySlice<UInt8> { all[shape(path).range] }

    func answer(_ request: HostileRequest, _ connection: HostileConnection) {
        let path = request.target
        state.withLock { if $0.closed.contains(path) { $0.askedAgain.append(path) } }
        let (range, pause) = shape(path)
        let file = ServedFile(bytes: Array(all[range]), entityTag: "\"\(path)\"")
        let (status, fields, body) = file.answer(to: request)
        let head = ["HTTP/1.1 \(status)"] + fields + ["Content-Length: \(body.count)"]
        guard connection.send(head.joined(separator: "\r\n") + "\r\n\r\n") else { return }
        for start in stride(from: body.startIndex, to: body.endIndex, by: 32 << 10) {
            guard connection.send(body[start..<min(start + 32 << 10, body.endIndex)]) else { return }
            if pause > 0 { usleep(pause) }
        }
        if body.endIndex == range.count { state.withLock { $0.deliveries[path, default: 0] += 1 } }
    }
}
