// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Measures `transferctl put` of 1 GiB in memory to nginx on the loopback interface, which stores the file in memory.
struct LargeUpload {
    let folder: WorkFolder
    let server: LoopbackServer

    init(_ options: Options) throws {
        folder = try WorkFolder(in: options.memoryFolder, room: 3 << 30)
        try folder.makeFile("file", bytes: 1 << 30)
        server = try LoopbackServer(folder: folder.path, options: options, locations: LoopbackServer.uploads)
    }

    /// Returns our side and curl.
    func sides(_ options: Options) throws -> [Side] {
        let (file, arrived) = ("\(folder.path)/www/file", "\(folder.path)/www/up")
        let url = "http://127.0.0.1:\(server.port)/up"
        return [
            try .ours(options, folder, command: "put", [file, "\(url)/ours"], output: "\(arrived)/ours"),
            .peer("curl", options, ["-q", "-s", "-f", "-T", file, "\(url)/curl"], output: "\(arrived)/curl"),
        ]
    }

    func check() throws { try folder.check("\(folder.path)/www/up/ours", is: "file") }

    /// Measures wall and CPU seconds against `curl -T`.
    @Sendable static func measure(_ options: Options) throws -> [BenchmarkResult] {
        let upload = try LargeUpload(options)
        let comparison = Comparison(sides: try upload.sides(options), rounds: options.rounds)
        let costs = try comparison.run(check: upload.check)
        return [
            .medians("upload-1g", comparison, costs, against: 1, bar: 1.05, "s wall", \.wall),
            .medians("upload-1g", comparison, costs, against: 1, bar: 1.35, "s cpu", \.cpu),
        ]
    }
}
