// SPDX-License-Identifier: Apache-2.0
import BackgroundTransferEmbedded
import Foundation
import Testing

@Suite("Specifications from URLs")
struct TransferSpecificationURLTests {
    private static func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test("The destination is a folder if it exists or ends with a slash; otherwise a file")
    func destination() throws {
        let source = try Self.url("https://example.org/a?b#c")
        let folder = NSTemporaryDirectory() + "destination-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func destination(_ url: URL) -> Destination {
            TransferSpecification(downloading: source, to: url).destination
        }
        #expect(destination(URL(filePath: folder)) == Destination(directory: folder, name: nil))
        #expect(destination(URL(filePath: "/new/folder/")) == Destination(directory: "/new/folder", name: nil))
        #expect(destination(URL(filePath: "/new/file")) == Destination(directory: "/new", name: "file"))
        let current = FileManager.default.currentDirectoryPath
        #expect(destination(URL(filePath: "new-file")) == Destination(directory: current, name: "new-file"))
        #expect(!destination(try Self.url("https://example.org/f/")).directory.hasPrefix("/"))
    }

    @Test("User and password of a URL become the credential, and the fragment is left out")
    func credential() throws {
        let file = URL(filePath: "/d/f")
        let specification = TransferSpecification(
            downloading: try Self.url("https://me:p%40ss@example.org/a?b#c"), to: file, kind: .discretionary,
            constraints: Constraints(metered: .unmetered), collision: .overwrite)
        #expect(specification.url == "https://example.org/a?b")
        #expect(specification.credential == Credential(user: "me", password: "p@ss"))
        #expect(specification.traits.kind == .discretionary)
        #expect(specification.traits.constraints.metered == .unmetered)
        #expect(specification.destination.collision == .overwrite)
        let plain = TransferSpecification(downloading: try Self.url("https://example.org/a"), to: file)
        #expect((plain.credential, plain.isPlain) == (nil, true))
    }

    @Test("An upload describes the current file, and a missing file is an error")
    func upload() throws {
        let file = URL(filePath: NSTemporaryDirectory() + "upload-\(UUID().uuidString)")
        try Data("12345".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let url = try Self.url("https://me@example.org/a")
        let specification = try TransferSpecification(
            uploading: file, to: url, method: .post, contentType: "text/plain")
        #expect((specification.upload?.size, specification.upload?.path) == (5, file.path))
        #expect((specification.upload?.method, specification.upload?.contentType) == (.post, "text/plain"))
        #expect(specification.traits.expectedBytesToSend == 5)
        #expect((specification.url, specification.credential?.user) == ("https://example.org/a", "me"))
        let missing = URL(filePath: file.path + "-missing")
        let error = #expect(throws: TransferFailure.self) { try TransferSpecification(uploading: missing, to: url) }
        #expect(error?.message.contains(missing.path) == true)
    }
}
