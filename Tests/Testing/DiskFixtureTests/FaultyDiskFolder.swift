// SPDX-License-Identifier: Apache-2.0
import DiskFixture
import Foundation
import ProcessFixtures
import TransferModel
import TransferPolicy

/// A folder on a faulty disk, and a launcher for programs that use the disk.
final class FaultyDiskFolder {
    let folder: URL
    let fixture: FaultyDiskFixture
    var generator = SplitMix64(seed: 7)

    init() throws {
        folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appendingPathComponent("disk-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("root"), withIntermediateDirectories: true)
        fixture = try FaultyDiskFixture(root: folder.path + "/root", journal: folder.path + "/journal")
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// The path of a file on the disk.
    func path(_ name: String) -> String { fixture.root + "/" + name }

    /// The content of a file; `nil` if the file does not exist.
    func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: path(name)).map { String(decoding: $0, as: UTF8.self) }
    }

    func inode(_ name: String) -> UInt64? {
        (try? FileManager.default.attributesOfItem(atPath: path(name)))?[.systemFileNumber] as? UInt64
    }

    /// The names of the files on the disk, in order.
    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: fixture.root)) ?? []).sorted() }

    /// Runs commands in a child process. A name in a command is the name of a file on the disk.
    ///
    /// - Returns: The result of each command: 0 or an error number.
    @discardableResult
    func run(_ commands: [String]...) async throws -> [Int32] {
        let words = commands.flatMap { command in
            command.enumerated().map { index, word in
                let isPath =
                    index == 1 && command[0] != "link" || index == 2 && ["rename", "link"].contains(command[0])
                return isPath ? (word == "." ? fixture.root : path(word)) : word
            }
        }
        return try await start("DiskChild", words).output.rest().compactMap { Int32($0) }
    }

    /// Starts a program of this project, which uses the disk.
    func start(_ program: String, _ arguments: [String]) throws -> FixtureProcess {
        try FixtureProcess([builtProgram(program)] + arguments, environment: fixture.environment)
    }

    func losePower(
        _ bytes: PowerLoss.Bytes, _ names: PowerLoss.Names = .byFolder, keptNames: Int = 0
    ) throws -> (pending: Int, lost: Int) {
        try fixture.losePower(PowerLoss(bytes: bytes, names: names, keptNames: keptNames), using: &generator)
    }
}
