// SPDX-License-Identifier: Apache-2.0
import Foundation

/// `transferctl get` of one 1 GiB file from nginx on the loopback against curl, both writing to tmpfs.
enum DownloadOneGiB {
    /// Wall and CPU seconds.
    @Sendable static func measure(_ options: Options) throws -> [Figure] {
        let (ours, theirs) = try costs(options)
        return [
            Figure(
                name: "download-1g", ours: ours.map(\.wall).median, unit: "s wall", peer: "curl",
                theirs: theirs?.map(\.wall).median, bar: 1.35, rounds: options.rounds),
            Figure(
                name: "download-1g", ours: ours.map(\.cpu).median, unit: "s cpu", peer: "curl",
                theirs: theirs?.map(\.cpu).median, bar: 1.7, rounds: options.rounds),
        ]
    }

    /// The largest resident set; the bar is 80 MB.
    @Sendable static func measureMemory(_ options: Options) throws -> [Figure] {
        let (ours, theirs) = try costs(options)
        return [
            Figure(
                name: "memory", ours: ours.map(\.peakMemory).max() ?? .nan, unit: "MB peak", peer: "curl",
                theirs: theirs?.map(\.peakMemory).max(), bar: 80, rounds: options.rounds, barIsAbsolute: true)
        ]
    }

    /// Both sides, interleaved: ours, theirs, ours, …, after a warm-up of each.
    private static func costs(_ options: Options) throws -> (ours: [Command.Cost], theirs: [Command.Cost]?) {
        let folder = try WorkFolder()
        try folder.makeFile(bytes: 1 << 30)
        let server = try LoopbackServer(folder: folder.path)
        let url = "http://127.0.0.1:\(server.port)/file"
        let transferctl = try Transferctl.build()
        let curl = Command.find("curl")
        var ours: [Command.Cost] = []
        var theirs: [Command.Cost] = []
        for round in 0...options.rounds {
            let mine = try Command(
                program: transferctl,
                arguments: [
                    "get", "--quiet", "--overwrite", "--state-dir", "\(folder.path)/state-\(round)", "-o",
                    "\(folder.path)/ours", url,
                ]
            ).run()
            let other = try curl.map {
                try Command(program: $0, arguments: ["-s", "-o", "\(folder.path)/theirs", url]).run()
            }
            if round == 0 { try folder.check("ours") }
            guard round > 0 else { continue }
            ours.append(mine)
            if let other { theirs.append(other) }
        }
        withExtendedLifetime(server) {}
        return (ours, curl == nil ? nil : theirs)
    }
}

/// The program under test, built from the package above in release.
enum Transferctl {
    /// Builds it and returns its path. `TRANSFERCTL` names one that is built already.
    static func build() throws -> String {
        if let path = ProcessInfo.processInfo.environment["TRANSFERCTL"] { return path }
        guard let swift = Command.find("swift") else { throw FigureError("there is no 'swift' in PATH") }
        let root = URL(fileURLWithPath: #filePath).appending(path: "../../../..").standardizedFileURL.path
        _ = try Command(
            program: swift, arguments: ["build", "-c", "release", "--product", "transferctl", "--package-path", root]
        ).run()
        return "\(root)/.build/release/transferctl"
    }
}

/// A folder in memory (`/dev/shm`) that goes with its owner.
final class WorkFolder {
    let path: String

    init() throws {
        path = "/dev/shm/transfer-figures-\(getpid())"
        try FileManager.default.createDirectory(atPath: "\(path)/www", withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Makes `www/file` with bytes that do not compress or repeat.
    func makeFile(bytes: Int) throws {
        guard FileManager.default.createFile(atPath: "\(path)/www/file", contents: nil),
            let file = FileHandle(forWritingAtPath: "\(path)/www/file")
        else { throw FigureError("\(path) cannot be written") }
        var generator = SystemRandomNumberGenerator()
        let block = Data((0..<(1 << 20)).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
        for index in 0..<(bytes >> 20) {
            // Each block differs, so that a block in the wrong place is noticed.
            var numbered = block
            withUnsafeBytes(of: index) { numbered.replaceSubrange(0..<8, with: $0) }
            try file.write(contentsOf: numbered)
        }
        try file.close()
    }

    /// Compares what arrived with what was served.
    func check(_ name: String) throws {
        guard FileManager.default.contentsEqual(atPath: "\(path)/\(name)", andPath: "\(path)/www/file") else {
            throw FigureError("\(name) is not the file that was served")
        }
    }
}
