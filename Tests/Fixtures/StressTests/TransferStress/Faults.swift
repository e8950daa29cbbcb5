// SPDX-License-Identifier: Apache-2.0
import HostileServer
import Synchronization
import TransferPolicy

/// A file of the server.
struct StressFile: Sendable {
    var path: String
    var bytes: [UInt8]
}

/// The server's behavior, which depends on a seed. About half of the responses are wrong.
final class Faults: Sendable {
    private let seed: UInt64
    private let generator: Mutex<SplitMix64>
    /// The content from which all files are sliced.
    private let content = ServedFile.content(6 << 20, seed: 42)

    init(seed: UInt64) {
        self.seed = seed
        generator = Mutex(SplitMix64(seed: seed ^ 0xfa17))
    }

    /// Returns the file with the path of these numbers.
    func file(slot: Int, number: Int64) -> StressFile { file(path: "/\(slot)/\(number)") }

    private func file(path: String) -> StressFile {
        var generator = SplitMix64(seed: path.utf8.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 })
        let size = generator.chance(10) ? 0 : generator.chance(50) ? generator.below(200_000) : generator.below(4 << 20)
        let start = generator.below(content.count - size + 1)
        return StressFile(path: path, bytes: Array(content[start..<start + size]))
    }

    func respond(_ request: HostileRequest, _ connection: HostileConnection) {
        let file = file(path: request.target)
        let served = ServedFile(bytes: file.bytes, entityTag: "\"\(file.bytes.count)-\(request.target)\"")
        let (kind, cut) = generator.withLock { ($0.below(24), $0.below(max(1, file.bytes.count))) }
        switch kind {
        case 0: connection.reset()
        case 1: connection.finish()
        case 2:
            served.serve(request, connection, onlyBytes: cut)
            connection.reset()
        case 3:
            served.serve(request, connection, onlyBytes: cut)
            connection.finish()
        case 4:
            served.serve(request, connection, onlyBytes: cut / 2)
            connection.waitForClient()
        case 5: connection.respond("503 Service Unavailable", ["Retry-After: 1"], body: Array("later".utf8))
        case 6: connection.respond("500 Internal Server Error")
        case 7:
            connection.send("HTTP/1.1 20")
            connection.finish()
        case 8:
            connection.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
            served.serve(request, connection)
        case 9:
            // The range differs from the requested range.
            let line = "Content-Range: bytes 1-2/\(file.bytes.count)"
            connection.respond("206 Partial Content", served.fields + [line], body: [1, 2])
        case 10: wholeAsChunks(file, served, connection)
        case 11:
            var whole = served
            whole.acceptsRanges = false
            whole.serve(request, connection)
        case 12: connection.respond("416 Range Not Satisfiable", ["Content-Range: bytes */\(file.bytes.count)"])
        default: served.serve(request, connection)
        }
    }

    private func wholeAsChunks(_ file: StressFile, _ served: ServedFile, _ connection: HostileConnection) {
        let head = ["HTTP/1.1 200 OK", "Transfer-Encoding: chunked"] + served.fields
        connection.send(head.joined(separator: "\r\n") + "\r\n\r\n")
        for start in stride(from: 0, to: file.bytes.count, by: 50_000) {
            connection.sendChunk(file.bytes[start..<min(start + 50_000, file.bytes.count)])
        }
        // With trailers, which say nothing about the file.
        connection.send("0\r\nX-Sum: 1\r\n\r\n")
    }
}

extension SplitMix64 {
    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<max(1, bound), using: &self) }

    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
}
