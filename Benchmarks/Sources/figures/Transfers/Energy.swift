// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Counts what a user on battery power pays for a download: wake-ups, processor time, and packets per GB, for ours, curl,
/// wget and aria2c.
///
/// Joules cannot be measured on a virtual machine. A wake-up is a thread that waited and runs again.
enum Energy {
    @Sendable static func measure(_ options: Options) throws -> [BenchmarkResult] {
        let folder = try WorkFolder(in: options.memoryFolder, room: 2 << 30)
        try folder.makeFile("fast", bytes: 1_000_000_000)
        try folder.makeFile("slow", bytes: 200_000_000)
        let server = try LoopbackServer(
            folder: folder.path, options: options, locations: "location /slow { limit_rate 20000000; } ")
        defer { withExtendedLifetime(server) {} }
        return try [("fast", "at full speed", 1.0), ("slow", "at 20 MB/s", 0.2)].flatMap { file, name, gigabytes in
            let url = "http://127.0.0.1:\(server.port)/\(file)"
            let sides = try LargeDownload.sides(options, folder, into: folder.path, url: url)
            let comparison = Comparison(sides: sides, rounds: min(3, options.rounds))
            let costs = try comparison.run { try folder.check("\(folder.path)/ours", is: file) }
            return (1..<sides.count).flatMap { peer in
                func result(_ unit: String, _ value: @escaping (Command.Cost) -> Double) -> BenchmarkResult {
                    .medians("energy \(name)", comparison, costs, against: peer, bar: nil, "\(unit) per GB") {
                        value($0) / gigabytes
                    }
                }
                return [
                    result("wake-ups") { Double($0.switches.voluntary) }, result("s cpu", \.cpu),
                    result("packets") { Double($0.packets) },
                ]
            }
        }
    }
}
