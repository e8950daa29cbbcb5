// SPDX-License-Identifier: Apache-2.0
import DiskRig
import Foundation
import TransferModel
import TransferPolicy

/// A folder on a faulty disk, and programs that use it.
final class DiskPlace {
    let folder: URL
    let rig: FaultyDiskRig
    var dice = SplitMix64(seed: 7)

    init() throws {
        folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appendingPathComponent("disk-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("root"), withIntermediateDirectories: true)
        rig = try FaultyDiskRig(root: folder.path + "/root", journal: folder.path + "/journal")
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// A path on the disk.
    func path(_ name: String) -> String { rig.root + "/" + name }

    /// What a file holds; nil where there is none.
    func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: path(name)).map { String(decoding: $0, as: UTF8.self) }
    }

    func inode(_ name: String) -> UInt64? {
        (try? FileManager.default.attributesOfItem(atPath: path(name)))?[.systemFileNumber] as? UInt64
    }

    /// The names on the disk.
    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: rig.root)) ?? []).sorted() }

    /// Has a program do things; a name is that of a file on the disk.
    ///
    /// - Returns: what each came to, 0 or an error's number.
    @discardableResult
    func run(_ commands: [String]...) throws -> [Int32] {
        let words = commands.flatMap { command in
            command.enumerated().map { index, word in
                let isPath =
                    index == 1 && command[0] != "link" || index == 2 && ["rename", "link"].contains(command[0])
                return isPath ? (word == "." ? rig.root : path(word)) : word
            }
        }
        let child = try start("DiskChild", words)
        let output = child.output.fileHandleForReading.readDataToEndOfFile()
        child.process.waitUntilExit()
        return String(decoding: output, as: UTF8.self).split(separator: "\n").compactMap { Int32($0) }
    }

    /// Starts a program that was built beside the tests.
    func start(_ program: String, _ arguments: [String]) throws -> (process: Process, output: Pipe) {
        let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let process = Process()
        let output = Pipe()
        process.executableURL = tests.appendingPathComponent(program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(rig.environment) { $1 }
        process.standardOutput = output
        try process.run()
        return (process, output)
    }

    func losePower(
        _ bytes: PowerLoss.Bytes, _ names: PowerLoss.Names = .byFolder, keptNames: Int = 0
    ) throws -> (pending: Int, lost: Int) {
        try rig.losePower(PowerLoss(bytes: bytes, names: names, keptNames: keptNames), using: &dice)
    }
}
