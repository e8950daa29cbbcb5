// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import TransferModel
import TransferPolicy

@testable import TransferDaemon

@Suite("Orphaned partial files")
struct OrphanedFilesTests {
    @Test("Files of ended transfers are removed; files of unfinished transfers and other files are kept")
    func removes() throws {
        let folder = NSTemporaryDirectory() + "leftovers-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // Transfer 1 has ended, 2 has ended and keeps its bytes, 3 is unfinished, and 4 ended long ago.
        for name in ["1-a.part", "2-b.part", "3-c.part", "4-d.part", "notes", "1-odd"] {
            #expect(FileManager.default.createFile(atPath: "\(folder)/\(name)", contents: Data("x".utf8)))
        }
        for name in ["1-a.placed", "2-b.placed", "3-c.placed", "4-d.placed"] {
            try FileManager.default.createSymbolicLink(atPath: "\(folder)/\(name)", withDestinationPath: "1 2 3 200")
        }
        #expect(FileManager.default.createFile(atPath: folder + "/1-file.placed", contents: nil))
        OrphanedFiles(folder: folder, unfinished: [TransferID(3)], done: [TransferID(1)]).remove()
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
                == ["1-file.placed", "1-odd", "2-b.part", "3-c.part", "3-c.placed", "4-d.part", "notes"])
    }

    @Test("A missing folder is ignored")
    func absent() {
        OrphanedFiles(folder: "/nonexistent/partial").remove()
    }
}
