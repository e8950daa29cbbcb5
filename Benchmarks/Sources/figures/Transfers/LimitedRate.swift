// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Measures the actual rate of `transferctl` under `--limit-rate`. Transfers five seconds' worth of bytes, and
/// divides the bytes by the program's total time, including its start.
struct LimitedRate {
    private let options: Options
    private let folder: WorkFolder
    private let plain: LoopbackServer
    private let encrypted: LoopbackServer
    private let certificate: Certificate

    private static let seconds = 5
    /// The number of concurrent transfers in one of the runs.
    private static let several = 8

    private init(_ options: Options) throws {
        self.options = options
        folder = try WorkFolder(in: options.memoryFolder, room: 5 << 29)
        certificate = try Certificate(in: folder.path, options: options)
        plain = try LoopbackServer(folder: folder.path, options: options, locations: LoopbackServer.uploads)
        encrypted = try LoopbackServer(folder: folder.path, options: options, certificate: certificate)
    }

    /// Measures the ratio of the rate to the limit: in both directions, with TLS, and with eight concurrent transfers.
    @Sendable static func measure(_ options: Options) throws -> [BenchmarkResult] {
        let benchmark = try LimitedRate(options)
        var results: [BenchmarkResult] = []
        for rate in [200_000, 2_000_000, 20_000_000, 100_000_000] {
            let whole = "\(rate)"
            try benchmark.folder.makeFile(whole, bytes: rate * seconds)
            let plain = "http://127.0.0.1:\(benchmark.plain.port)"
            results.append(try benchmark.result("get", rate, ["\(plain)/\(whole)"]))
            results.append(
                try benchmark.result(
                    "put", rate, ["\(benchmark.folder.path)/www/\(whole)", "\(plain)/up/file"], command: "put"))
            guard rate >= 20_000_000 else { continue }
            results.append(
                try benchmark.result(
                    "get, TLS", rate,
                    ["--ca-file", benchmark.certificate.path, "https://127.0.0.1:\(benchmark.encrypted.port)/\(whole)"])
            )
            let parts = (0..<several).map { "\(rate)-\($0)" }
            for part in parts { try benchmark.folder.makeFile(part, bytes: rate * seconds / several) }
            results.append(
                try benchmark.result(
                    "get, \(several) concurrent", rate,
                    ["--parallel", "\(several)"] + parts.map { "\(plain)/\($0)" }))
        }
        return results
    }

    private func result(
        _ name: String, _ rate: Int, _ arguments: [String], command: String = "get"
    ) throws -> BenchmarkResult {
        let output = command == "get" ? "\(folder.path)/out" : "\(folder.path)/www/up"
        let destination = command == "get" ? ["-d", output] : []
        let ours = try Side.ours(
            options, folder, command: command, ["--limit-rate", "\(rate)"] + destination + arguments, output: output)
        let comparison = Comparison(sides: [ours], rounds: options.isQuick ? 1 : 3, warmUps: 0)
        let costs = try comparison.run { try check(output, bytes: rate * Self.seconds) }
        let rates = costs[0]?.map { Double(rate * Self.seconds) / $0.wall / 1e6 }
        let megabytes = Double(rate) / 1e6
        return BenchmarkResult(
            name: String(format: "rate-limit %g MB/s, %@", megabytes, name), ours: rates.flatMap { Spread($0) },
            unit: "MB/s", peer: "limit", theirs: Spread(megabytes), bar: 1.1, lowerBar: 0.9)
    }

    /// Checks that all bytes arrived.
    private func check(_ folder: String, bytes: Int) throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        let sizes = try files.map {
            try FileManager.default.attributesOfItem(atPath: "\(folder)/\($0)")[.size] as? Int ?? 0
        }
        guard sizes.reduce(0, +) == bytes else {
            throw BenchmarkError("\(folder) contains \(sizes), not \(bytes) bytes")
        }
    }
}
