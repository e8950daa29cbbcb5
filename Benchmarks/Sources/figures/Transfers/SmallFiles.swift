// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Measures thousands of files of 16 KiB from nginx on the loopback interface, named in one list.
struct SmallFiles {
    let folder: WorkFolder
    let server: LoopbackServer
    let count: Int
    /// The certificate of the server; `nil` for plain connections.
    private let certificate: Certificate?
    /// The path of the list, with one URL per line.
    var list: String { "\(folder.path)/list" }

    /// - Parameter isSecure: Whether the server offers HTTP/2 over TLS.
    init(_ count: Int, _ options: Options, isSecure: Bool = false) throws {
        self.count = count
        folder = try WorkFolder(in: options.memoryFolder, room: count << 16)
        for number in 0..<count { try folder.makeFile("\(number)", bytes: 16 << 10) }
        certificate = isSecure ? try Certificate(in: folder.path, options: options) : nil
        server = try LoopbackServer(
            folder: folder.path, options: options, certificate: certificate, isHTTP2: isSecure)
        let scheme = isSecure ? "https" : "http"
        let urls = (0..<count).map { "\(scheme)://127.0.0.1:\(server.port)/\($0)" }
        try (urls.joined(separator: "\n") + "\n").write(toFile: list, atomically: true, encoding: .utf8)
        let lines = zip(urls, 0..<count).map { "url=\"\($0)\"\noutput=\"\(folder.path)/curl/\($1)\"" }
        try (lines.joined(separator: "\n") + "\n").write(
            toFile: "\(folder.path)/curl.conf", atomically: true, encoding: .utf8)
    }

    /// Returns our side, and peers with the same number of connections.
    func sides(_ options: Options, parallel: Int?) throws -> [Side] {
        let connections = "\(parallel ?? 32)"
        func trust(_ option: String) -> [String] { certificate.map { [option, $0.path] } ?? [] }
        return [
            try .ours(
                options, folder,
                ["--input", list, "-d", "\(folder.path)/ours"] + (parallel.map { ["--parallel", "\($0)"] } ?? [])
                    + trust("--ca-file"),
                output: "\(folder.path)/ours"),
            .peer(
                "aria2c", options,
                ["--no-conf", "-q", "-j", connections, "-d", "\(folder.path)/aria2c", "-i", list]
                    + trust("--ca-certificate"),
                output: "\(folder.path)/aria2c"),
            .peer(
                "curl", options,
                [
                    "-q", "-s", "--no-progress-meter", "-Z", "--parallel-max", connections, "--create-dirs", "-K",
                    "\(folder.path)/curl.conf",
                ],
                output: "\(folder.path)/curl"),
        ]
    }

    func check() throws {
        for number in 0..<count { try folder.check("\(folder.path)/ours/\(number)", is: "\(number)") }
    }

    /// Measures 5,000 files: wall and CPU seconds against `aria2c -j32`, `curl -Z`, and URLSession without additional
    /// code.
    @Sendable static func measure(_ options: Options) throws -> [BenchmarkResult] {
        let files = try SmallFiles(5000, options)
        let bare = BareURLSession.side(list: files.list, folder: "\(files.folder.path)/bare", parallel: 32)
        let comparison = Comparison(sides: try files.sides(options, parallel: 32) + [bare], rounds: options.rounds)
        let costs = try comparison.run(check: files.check)
        func switches(_ cost: Command.Cost) -> Double {
            Double(cost.switches.voluntary + cost.switches.involuntary) / Double(files.count)
        }
        var perFile = BenchmarkResult.medians(
            "small-files", comparison, costs, against: 3, bar: 8, "context switches a file", switches)
        perFile.isBarAbsolute = true
        return [
            perFile, .medians("small-files", comparison, costs, against: 1, bar: 2.5, "s wall", \.wall),
            .medians("small-files", comparison, costs, against: 1, bar: nil, "s cpu", \.cpu),
            .medians("small-files", comparison, costs, against: 2, bar: nil, "s wall", \.wall),
            .medians("small-files", comparison, costs, against: 3, bar: 1.15, "s wall", \.wall),
            .medians("small-files", comparison, costs, against: 3, bar: nil, "s cpu", \.cpu),
        ]
    }
}

extension SmallFiles {
    /// Measures 5,000 files over TLS: ours may choose HTTP/2, which aria2c does not have.
    @Sendable static func measureSecure(_ options: Options) throws -> [BenchmarkResult] {
        let files = try SmallFiles(5000, options, isSecure: true)
        let sides = try files.sides(options, parallel: 32).prefix(2)
        let comparison = Comparison(sides: Array(sides), rounds: options.rounds)
        let costs = try comparison.run(check: files.check)
        return [
            .medians("small-files-tls", comparison, costs, against: 1, bar: 1, "s wall", \.wall),
            .medians("small-files-tls", comparison, costs, against: 1, bar: nil, "s cpu", \.cpu),
        ]
    }
}

/// Measures the peak sum of the proportional set sizes of a program's processes.
enum Memory {
    @Sendable static func measure(_ options: Options) throws -> [BenchmarkResult] {
        let rounds = min(3, options.rounds)
        var results: [BenchmarkResult] = []
        func add(_ name: String, _ sides: [Side], bar: Double, check: () throws -> Void) throws {
            let comparison = Comparison(sides: sides, rounds: rounds, samplesMemory: true, warmUps: 0)
            let costs = try comparison.run(check: check)
            let peaks = costs.map { $0.flatMap { Spread($0.compactMap(\.peakMemory), at: 1) } }
            results.append(
                BenchmarkResult(
                    name: name, ours: peaks[0], unit: "MB peak", peer: sides[1].name, theirs: peaks[1], bar: bar,
                    statistic: "largest", isBarAbsolute: true))
        }
        do {
            let folder = try WorkFolder(in: options.memoryFolder, room: 3 << 30)
            try folder.makeFile("file", bytes: 1 << 30)
            let server = try LoopbackServer(folder: folder.path, options: options)
            let url = "http://127.0.0.1:\(server.port)/file"
            let sides = try LargeDownload.sides(options, folder, into: folder.path, url: url)
            try add("memory 1 GiB", Array(sides.prefix(2)), bar: 80) {
                try folder.check("\(folder.path)/ours", is: "file")
            }
            withExtendedLifetime(server) {}
        }
        do {
            let upload = try LargeUpload(options)
            try add("memory upload of 1 GiB", try upload.sides(options), bar: 80, check: upload.check)
        }
        for (count, bar) in [(5000, 80.0), (10_000, 100.0)] {
            let files = try SmallFiles(count, options)
            // All files are queued at the same time, so this is also the memory of a queue of that length.
            let sides = try files.sides(options, parallel: 32)
            try add("memory \(count) files", Array(sides.prefix(2)), bar: bar, check: files.check)
        }
        return results
    }
}
