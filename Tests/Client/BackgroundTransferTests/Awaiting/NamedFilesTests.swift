// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import TransferModel

@testable import BackgroundTransfer

@Suite("Files of named transfers")
struct NamedFilesTests {
    @Test("every name is a safe file name, and different names have different files")
    func names() {
        let long = String(repeating: "x", count: 300)
        let ids = [
            "a", "A", "a/b", "a%2fb", "..", ".", ".a", "a.", "é", "e\u{301}", " ", "\n", long, long + "y", "y" + long,
            String(repeating: "é", count: 40), "a.json", ".a.json",
        ]
        let names = ids.map(NamedFiles.fileName)
        #expect(Set(names).count == ids.count)
        for name in names {
            #expect(!name.hasPrefix(".") && !name.contains("/") && !name.isEmpty && name.utf8.count <= 200)
        }
        #expect(NamedFiles.fileName("episode-7.mp3") == "episode-7.mp3")
    }

    @Test("a file is finished if both the file and its record exist")
    func finished() throws {
        let folder = NSTemporaryDirectory() + "named-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let source = folder + "/source"
        try Data("a".utf8).write(to: URL(fileURLWithPath: source))
        let files = NamedFiles(folder: folder + "/deep/named")
        let record = NamedFiles.Record(id: "a", fingerprint: "f", url: "http://example.org/")
        #expect(files.finished("a") == nil)
        try files.add(source, as: record)
        #expect(files.finished("a") == record)
        try FileManager.default.removeItem(atPath: files.path(of: "a"))
        #expect(files.finished("a") == nil)
        #expect(throws: NamedFiles.Failure.self) { try files.add(source, as: record) }
        try files.remove("a")
        try files.remove("a")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/deep/named") == [])
    }
}
