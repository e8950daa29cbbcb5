// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Measures the start of `transferctl`, which users wait for with each command, beside a program that only loads the same
/// libraries of Swift.
enum ProgramStart {
    @Sendable static func measure(_ options: Options) throws -> [BenchmarkResult] {
        let folder = try WorkFolder(in: options.memoryFolder, room: 1 << 26)
        let (source, bare) = ("\(folder.path)/bare.swift", "\(folder.path)/bare")
        try "import FoundationNetworking\nprint(URLSession.self)\n".write(
            toFile: source, atomically: true, encoding: .utf8)
        guard let compiler = Command.find("swiftc") else { throw BenchmarkError("swiftc is not in PATH") }
        _ = try Command(program: compiler, arguments: ["-O", source, "-o", bare]).run()
        let comparison = Comparison(
            sides: [
                Side(name: "ours", program: try Transferctl.path(options), arguments: ["--help"]),
                Side(name: "bare program", program: bare, arguments: []),
            ], rounds: options.rounds * 3, warmUps: 3)
        let costs = try comparison.run()
        var wall = BenchmarkResult.medians(
            "program-start --help", comparison, costs, against: 1, bar: 15, "ms wall"
        ) { $0.wall * 1000 }
        wall.isBarAbsolute = true
        return [
            wall,
            .medians("program-start --help", comparison, costs, against: 1, bar: nil, "ms cpu") { $0.cpu * 1000 },
        ]
    }
}
