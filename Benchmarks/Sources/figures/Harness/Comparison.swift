// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A participant in a comparison.
struct Side {
    var name: String
    /// The path of the program; `nil` if it is not installed.
    var program: String?
    /// The arguments of the program.
    var arguments: [String]
    /// The files and folders that must not exist before a run.
    var artifacts: [String] = []

    /// Returns our side: `transferctl get`, or another command. The output goes to `output`, and the queue is in
    /// `folder`.
    static func ours(
        _ options: Options, _ folder: WorkFolder, command: String = "get", _ arguments: [String], output: String
    ) throws -> Side {
        let state = "\(folder.path)/state"
        return Side(
            name: "ours", program: try Transferctl.path(options),
            arguments: [command, "--quiet", "--state-dir", state] + arguments, artifacts: [state, output])
    }

    /// Returns a peer, which may not be installed.
    static func peer(_ name: String, _ options: Options, _ arguments: [String], output: String) -> Side {
        Side(name: name, program: options.program(name), arguments: arguments, artifacts: [output])
    }
}

/// Runs several sides in turn, so that a disturbance affects all of them.
struct Comparison {
    var sides: [Side]
    var rounds: Int
    var samplesMemory = false
    /// The number of runs of each side that do not count.
    var warmUps = 1

    /// Returns the costs of each side's runs, in the order of the sides; `nil` for sides that are not installed.
    ///
    /// - Parameter check: A closure that checks the output of the first run of the first side, which is ours.
    func run(check: () throws -> Void = {}) throws -> [[Command.Cost]?] {
        var costs: [[Command.Cost]?] = sides.map { $0.program == nil ? nil : [] }
        for round in 0..<(rounds + warmUps) {
            for (index, side) in sides.enumerated() {
                guard let program = side.program else { continue }
                for path in side.artifacts { try? FileManager.default.removeItem(atPath: path) }
                let cost = try Command(program: program, arguments: side.arguments).run(samplesMemory: samplesMemory)
                if round == 0, index == 0 { try check() }
                if round >= warmUps { costs[index]?.append(cost) }
                for path in side.artifacts { try? FileManager.default.removeItem(atPath: path) }
            }
        }
        return costs
    }
}

extension BenchmarkResult {
    /// Returns the medians of a cost for the first side and for another side.
    static func medians(
        _ name: String, _ comparison: Comparison, _ costs: [[Command.Cost]?], against index: Int, bar: Double?,
        _ unit: String, _ value: (Command.Cost) -> Double
    ) -> BenchmarkResult {
        BenchmarkResult(
            name: name, ours: costs[0].flatMap { Spread($0.map(value)) }, unit: unit,
            peer: comparison.sides[index].name, theirs: costs[index].flatMap { Spread($0.map(value)) }, bar: bar)
    }
}

/// The program under test.
enum Transferctl {
    /// Returns the path of `transferctl` or of another product. The option `--with transferctl=PATH` or the variable
    /// `TRANSFERCTL` names it. Otherwise the product is built from the package above in release mode.
    static func path(_ options: Options, of product: String = "transferctl") throws -> String {
        if let path = options.paths[product] ?? ProcessInfo.processInfo.environment[product.uppercased()] {
            return path
        }
        guard let swift = Command.find("swift") else { throw BenchmarkError("swift is not in PATH") }
        let root = URL(fileURLWithPath: #filePath).appending(path: "../../../../..").standardizedFileURL.path
        // The daemon runs the worker program that lies beside it.
        for name in product == "transferd" ? [product, "transfer-worker"] : [product] {
            _ = try Command(
                program: swift,
                arguments: ["build", "-c", "release", "--product", name, "--traits", "Tools", "--package-path", root]
            ).run()
        }
        return "\(root)/.build/release/\(product)"
    }
}

/// A temporary folder that is removed on deinitialization.
final class WorkFolder {
    let path: String

    /// Creates a folder in `parent`, with a subfolder `www` for files to serve.
    ///
    /// - Throws: `BenchmarkError` if less than `room` bytes are free.
    init(in parent: String, room: Int) throws {
        let values = try? FileManager.default.attributesOfFileSystem(forPath: parent)
        let free = (values?[.systemFreeSize] as? NSNumber)?.intValue ?? 0
        guard free >= room else {
            throw BenchmarkError("\(parent) has \(free >> 20) MiB free and \(room >> 20) MiB are needed; see --with")
        }
        path = "\(parent)/transfer-figures-\(getpid())"
        try FileManager.default.createDirectory(atPath: "\(path)/www", withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Creates `www/name` with incompressible, nonrepeating content.
    func makeFile(_ name: String, bytes: Int) throws {
        guard FileManager.default.createFile(atPath: "\(path)/www/\(name)", contents: nil),
            let file = FileHandle(forWritingAtPath: "\(path)/www/\(name)")
        else { throw BenchmarkError("\(path) cannot be written") }
        var generator = SystemRandomNumberGenerator()
        let block = Data((0..<min(bytes, 1 << 20)).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
        for start in stride(from: 0, to: bytes, by: 1 << 20) {
            // Each block is different, so that a misplaced block is detected.
            var numbered = block.prefix(bytes - start)
            withUnsafeBytes(of: start) { numbered.replaceSubrange(0..<8, with: $0) }
            try file.write(contentsOf: numbered)
        }
        try file.close()
    }

    /// Compares a received file with the served file.
    func check(_ file: String, is name: String) throws {
        guard FileManager.default.contentsEqual(atPath: file, andPath: "\(path)/www/\(name)") else {
            throw BenchmarkError("\(file) is not the file that was served")
        }
    }
}
