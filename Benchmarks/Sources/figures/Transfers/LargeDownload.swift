// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Measures `transferctl get` for one large file from nginx on the loopback interface.
enum LargeDownload {
    /// Measures 1 GiB into memory: wall and CPU seconds against curl, and wall seconds against wget and aria2c.
    @Sendable static func toMemory(_ options: Options) throws -> [BenchmarkResult] {
        let folder = try WorkFolder(in: options.memoryFolder, room: 3 << 30)
        try folder.makeFile("file", bytes: 1 << 30)
        let server = try LoopbackServer(folder: folder.path, options: options)
        let url = "http://127.0.0.1:\(server.port)/file"
        let comparison = Comparison(
            sides: try sides(options, folder, into: folder.path, url: url), rounds: options.rounds)
        let costs = try comparison.run { try folder.check("\(folder.path)/ours", is: "file") }
        withExtendedLifetime(server) {}
        return [
            .medians("download-1g", comparison, costs, against: 1, bar: 1.1, "s wall", \.wall),
            .medians("download-1g", comparison, costs, against: 1, bar: 1.3, "s cpu", \.cpu),
            .medians("download-1g", comparison, costs, against: 2, bar: 1, "s wall", \.wall),
            .medians("download-1g", comparison, costs, against: 3, bar: nil, "s wall", \.wall),
        ]
    }

    /// Measures 4 GiB to the disk, durable at the end on both sides: wall seconds against curl followed by `sync -d`
    /// of its file.
    @Sendable static func toDisk(_ options: Options) throws -> [BenchmarkResult] {
        let folder = try WorkFolder(in: options.memoryFolder, room: 9 << 29)
        let disk = try WorkFolder(in: options.diskFolder, room: 9 << 29)
        try folder.makeFile("file", bytes: 4 << 30)
        let server = try LoopbackServer(folder: folder.path, options: options)
        let url = "http://127.0.0.1:\(server.port)/file"
        let theirs = "\(disk.path)/theirs"
        let curl = options.program("curl")
        var shell = Side.peer(
            "sh", options, ["-c", "\"$0\" -q -s -o \"$1\" \"$2\" && sync -d \"$1\"", curl ?? "", theirs, url],
            output: theirs)
        shell.name = "curl+sync"
        if curl == nil { shell.program = nil }
        // The queue is durable in this run, too.
        let ours = try Side.ours(options, disk, ["-o", "\(disk.path)/ours", url], output: "\(disk.path)/ours")
        let comparison = Comparison(sides: [ours, shell], rounds: options.rounds)
        let costs = try comparison.run { try folder.check("\(disk.path)/ours", is: "file") }
        withExtendedLifetime(server) {}
        return [.medians("download-4g", comparison, costs, against: 1, bar: 1.3, "s wall, durable", \.wall)]
    }

    /// Returns our side, curl, wget and aria2c for one URL.
    static func sides(_ options: Options, _ folder: WorkFolder, into output: String, url: String) throws -> [Side] {
        [
            try .ours(options, folder, ["-o", "\(output)/ours", url], output: "\(output)/ours"),
            .peer("curl", options, ["-q", "-s", "-o", "\(output)/curl", url], output: "\(output)/curl"),
            .peer("wget", options, ["--no-config", "-q", "-O", "\(output)/wget", url], output: "\(output)/wget"),
            .peer(
                "aria2c", options,
                ["--no-conf", "-q", "--file-allocation=none", "-x1", "-d", output, "-o", "aria2c", url],
                output: "\(output)/aria2c"),
        ]
    }
}

/// Measures the download of one file from a server with a limited rate.
enum LimitedDownload {
    @Sendable static func measure(_ options: Options) throws -> [BenchmarkResult] {
        let folder = try WorkFolder(in: options.memoryFolder, room: 3 << 29)
        var locations = ""
        for rate in rates {
            // The file takes five seconds at its rate.
            try folder.makeFile("\(rate)", bytes: rate * 5_000_000)
            locations += "location /\(rate) { limit_rate \(rate * 1_000_000); } "
        }
        let server = try LoopbackServer(folder: folder.path, options: options, locations: locations)
        var results: [BenchmarkResult] = []
        for rate in rates {
            let url = "http://127.0.0.1:\(server.port)/\(rate)"
            let sides = try LargeDownload.sides(options, folder, into: folder.path, url: url).prefix(2)
            let comparison = Comparison(sides: Array(sides), rounds: options.rounds)
            let costs = try comparison.run { try folder.check("\(folder.path)/ours", is: "\(rate)") }
            let name = "download-limited \(rate) MB/s"
            results += [
                // The target "1.0" to one decimal place.
                .medians(name, comparison, costs, against: 1, bar: 1.05, "s wall", \.wall),
                .medians(name, comparison, costs, against: 1, bar: 2.5, "s cpu", \.cpu),
            ]
        }
        withExtendedLifetime(server) {}
        return results
    }

    /// The rates in MB/s.
    private static let rates = [20, 100]
}
