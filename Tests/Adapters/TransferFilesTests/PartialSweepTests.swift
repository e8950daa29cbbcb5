// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Testing
import TransferModel
import TransferPolicy

@testable import TransferFiles

@Suite("Orphaned partial files")
struct PartialSweepTests {
    @Test("Names of partial files are distinguished from other names")
    func names() {
        #expect(PartialSweep.transfer("12-0123456789abcdef.part") == 12)
        for name in [
            "12-0123456789abcdef.par", "12-0123456789abcde.part", "12-0123456789ABCDEF.part",
            ".12-0123456789abcdef.part",
            "-0123456789abcdef.part", "12-0123456789abcdef.part~", "99999999999999999999-0123456789abcdef.part", "",
        ] { #expect(PartialSweep.transfer(name) == nil, "\(name)") }
    }

    @Test("Only old partial files of this user are found, and a file that a process writes stays")
    func sweep() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sweep-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let old = Date(timeIntervalSinceNow: -2 * 86_400)
        let names = ["1-0123456789abcdef.part", "2-0123456789abcdef.part", "3-0123456789abcdef.part", "theirs.part"]
        for name in names {
            #expect(FileManager.default.createFile(atPath: folder + "/" + name, contents: Data("x".utf8)))
            if name.hasPrefix("3") { continue }
            try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: folder + "/" + name)
        }
        try FileManager.default.createSymbolicLink(
            atPath: folder + "/4-0123456789abcdef.part", withDestinationPath: folder + "/" + names[0])
        let sweep = PartialSweep(directory: folder)
        let found = sweep.orphanedFiles()
        #expect(found.map(\.transfer.rawValue) == [1, 2])
        // A process that another test starts meanwhile must not inherit the lock.
        let descriptor = open(folder + "/" + names[1], O_RDWR | O_CLOEXEC)
        #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        #expect(found.map { sweep.remove($0) } == [true, false])
        close(descriptor)
        #expect(sweep.remove(found[1]))
        let left = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        #expect(left == [names[2], "4-0123456789abcdef.part", names[3]])
        #expect(PartialSweep(directory: folder + "/none").orphanedFiles().isEmpty)
    }
}
