// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Measures curl on a link of 50 Mbit/s, alone and beside a download of ours that fills the link.
struct Yielding {
    private let options: Options
    private let folder: WorkFolder
    private let link: NetworkLink
    private let server: LoopbackServer
    private let curl: String
    private let ours: String

    private static let megabitsPerSecond = 50
    /// The seconds for which our download has the link to itself before curl starts.
    private static let lead: UInt32 = 3

    private init(_ options: Options) throws {
        self.options = options
        guard let curl = options.program("curl") else { throw BenchmarkError("curl is not installed") }
        self.curl = curl
        ours = try Transferctl.path(options)
        link = try NetworkLink(options: options, megabitsPerSecond: Self.megabitsPerSecond)
        folder = try WorkFolder(in: options.memoryFolder, room: 1 << 30)
        try folder.makeFile("theirs", bytes: Self.megabitsPerSecond * 1_000_000 / 8 * 5)
        // The file is larger than the link can carry during the run.
        try folder.makeFile("ours", bytes: Self.megabitsPerSecond * 1_000_000 / 8 * 60)
        server = try LoopbackServer(folder: folder.path, options: options, at: link)
    }

    /// Measures the wall seconds of curl beside our download, with and without `--yield`, against curl alone.
    @Sendable static func measure(_ options: Options) throws -> [BenchmarkResult] {
        let rounds = options.isQuick ? 2 : 5
        var alone: [Double] = []
        var beside: [Bool: [Double]] = [:]
        do {
            let benchmark = try Yielding(options)
            for _ in 0..<rounds {
                alone.append(try benchmark.foreground())
                for yields in [true, false] {
                    beside[yields, default: []].append(try benchmark.foreground(beside: yields))
                }
            }
        } catch let error as BenchmarkError {
            logMessage("yield is not measured: \(error)")
        }
        func result(_ name: String, yields: Bool, bar: Double?) -> BenchmarkResult {
            BenchmarkResult(
                name: name, ours: beside[yields].flatMap { Spread($0) }, unit: "s of curl beside it", peer: "alone",
                theirs: Spread(alone), bar: bar)
        }
        // A rate that is a tenth lower takes 1 / 0.9 of the time.
        return [
            result("yield", yields: true, bar: 1.11), result("yield, without --yield", yields: false, bar: nil),
        ]
    }

    /// Returns the wall seconds of curl. If `yields` is not `nil`, a download of ours runs beside curl, with or without
    /// `--yield`.
    private func foreground(beside yields: Bool? = nil) throws -> Double {
        let background = try yields.map(download)
        defer {
            background?.terminate()
            background?.waitUntilExit()
        }
        if let background {
            sleep(Self.lead)
            guard background.isRunning else { throw BenchmarkError("the download beside curl has ended") }
        }
        let cost = try Command(
            program: link.atClient[0],
            arguments: link.atClient.dropFirst() + [curl, "-q", "-s", "-f", "-o", "/dev/null", url("theirs")]
        ).run()
        if let background, !background.isRunning { throw BenchmarkError("the download beside curl has ended") }
        return cost.wall
    }

    private func download(yields: Bool) throws -> Process {
        let output = "\(folder.path)/out"
        let side = try Side.ours(
            options, folder, (yields ? ["--yield"] : []) + ["-o", output, url("ours")], output: output)
        for path in side.artifacts { try? FileManager.default.removeItem(atPath: path) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: link.atClient[0])
        process.arguments = link.atClient.dropFirst() + [ours] + side.arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    private func url(_ name: String) -> String { "http://\(NetworkLink.serverAddress):\(server.port)/\(name)" }
}
