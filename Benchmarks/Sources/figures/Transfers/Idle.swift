// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Measures the processor time while waiting, as a percentage of one core. The server is silent for 10 s and then
/// sends one byte per second for 10 s.
enum Idle {
    @Sendable static func measure(_ options: Options) throws -> [BenchmarkResult] {
        let folder = try WorkFolder(in: options.memoryFolder, room: 1 << 20)
        let server = try SlowServer(silence: 10, drips: 10)
        let url = "http://127.0.0.1:\(server.port)/file"
        let sides = try LargeDownload.sides(options, folder, into: folder.path, url: url).prefix(2)
        // A run takes 20 s.
        let comparison = Comparison(sides: Array(sides), rounds: min(3, options.rounds), warmUps: 0)
        let costs = try comparison.run()
        func share(_ cost: Command.Cost) -> Double { cost.cpu / cost.wall * 100 }
        var result = BenchmarkResult.medians("idle", comparison, costs, against: 1, bar: 3, "% of a core", share)
        result.isBarAbsolute = true
        return [result]
    }
}

/// A server that responds to every request with `drips` bytes, one per second after `silence` seconds.
final class SlowServer: Sendable {
    let port: Int
    private let listener: Int32

    init(silence: Int, drips: Int) throws {
        signal(SIGPIPE, SIG_IGN)
        (listener, port) = try LoopbackServer.listen()
        Thread.detachNewThread { [listener] in
            while case let connection = accept(listener, nil, nil), connection >= 0 {
                Thread.detachNewThread { Self.serve(connection, silence: silence, drips: drips) }
            }
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    private static func serve(_ connection: Int32, silence: Int, drips: Int) {
        defer { close(connection) }
        var request = [UInt8](repeating: 0, count: 4096)
        guard read(connection, &request, request.count) > 0 else { return }
        sleep(UInt32(silence))
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(drips)\r\nConnection: close\r\n\r\n"
        guard write(connection, head, head.utf8.count) > 0 else { return }
        for _ in 0..<drips {
            sleep(1)
            guard write(connection, "x", 1) > 0 else { return }
        }
    }
}
