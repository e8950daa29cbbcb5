// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Measures a download of one file over eight connections, on a link that punishes single connections: a delay of 50 ms
/// for both directions together, and a loss of 1 %.
enum Segments {
    @Sendable static func measure(_ options: Options) throws -> [BenchmarkResult] {
        let name = "segments"
        let unit = "s wall"
        do {
            let link = try NetworkLink(options: options, delay: 25, loss: 0.01)
            let folder = try WorkFolder(in: options.memoryFolder, room: 1 << 29)
            try folder.makeFile("file", bytes: 96_000_000)
            let server = try LoopbackServer(folder: folder.path, options: options, at: link)
            defer { withExtendedLifetime((link, server)) {} }
            let url = "http://\(NetworkLink.serverAddress):\(server.port)/file"
            func side(_ side: Side) -> Side {
                var inside = side
                inside.arguments = link.atClient.dropFirst() + [side.program ?? ""] + side.arguments
                inside.program = side.program.map { _ in link.atClient[0] }
                return inside
            }
            let sides = [
                side(
                    try .ours(
                        options, folder, ["--connections", "8", "-o", "\(folder.path)/ours", url],
                        output: "\(folder.path)/ours")),
                side(
                    .peer(
                        "aria2c", options,
                        [
                            "--no-conf", "-q", "--file-allocation=none", "-x8", "-s8", "-k1M", "-d", folder.path, "-o",
                            "aria2c", url,
                        ], output: "\(folder.path)/aria2c")),
            ]
            let comparison = Comparison(sides: sides, rounds: options.rounds, warmUps: 0)
            let costs = try comparison.run { try folder.check("\(folder.path)/ours", is: "file") }
            return [.medians(name, comparison, costs, against: 1, bar: 1.05, unit, \.wall)]
        } catch let error as BenchmarkError {
            logMessage("\(name) is not measured: \(error)")
            return [BenchmarkResult(name: name, ours: nil, unit: unit, peer: "aria2c", bar: 1.05)]
        }
    }
}
