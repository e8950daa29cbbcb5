// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Testing

@testable import TransferBus

/// A folder of its own for a test, with a file in it.
private final class Place {
    let folder: String
    let file: String

    init() throws {
        var template = Array((NSTemporaryDirectory() + "passed-XXXXXX").utf8CString)
        let made = try #require(mkdtemp(&template))
        // As the kernel sees it, without links on the way.
        let path = try #require(realpath(made, nil))
        defer { free(path) }
        folder = String(cString: path)
        file = folder + "/file"
        try Data("content".utf8).write(to: URL(fileURLWithPath: file))
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }
}

@Suite struct PassedFilesTests {
    private func resolved(
        _ key: String, _ path: String, _ flags: Int32, beside fields: [String: VariantValue] = [:]
    ) throws -> [String: VariantValue] {
        let descriptor = open(path, flags | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        return try PassedFiles.resolved(fields.merging([key: .handle(0)]) { $1 }, [descriptor])
    }

    private func refusal(_ body: () throws -> [String: VariantValue]) -> String? {
        do {
            _ = try body()
            return nil
        } catch let fault as BusFault where fault.code == .invalidArgument {
            return fault.message
        } catch {
            return nil
        }
    }

    @Test("A file and a folder that are passed become their paths")
    func paths() throws {
        let place = try Place()
        #expect(try resolved("upload-fd", place.file, O_RDONLY) == ["upload-file": .string(place.file)])
        #expect(try resolved("directory-fd", place.folder, O_RDONLY) == ["directory": .string(place.folder)])
        #expect(try PassedFiles.resolved(["url": .string("u")], []) == ["url": .string("u")])
    }

    @Test("What proves no right to the content is refused by name")
    func rights() throws {
        let place = try Place()
        let pathOnly: Int32 = 0o10000000
        #expect(refusal { try resolved("upload-fd", place.file, O_WRONLY) }?.contains("not open for reading") == true)
        #expect(refusal { try resolved("upload-fd", place.file, pathOnly) }?.contains("O_PATH") == true)
        #expect(refusal { try resolved("directory-fd", place.folder, pathOnly) }?.contains("O_PATH") == true)
        #expect(refusal { try resolved("upload-fd", place.folder, O_RDONLY) }?.contains("regular file") == true)
        #expect(refusal { try resolved("directory-fd", place.file, O_RDONLY) }?.contains("a folder") == true)
        // /proc is never to be written to, but a mount that is read-only is known from its flags alone.
        #expect(refusal { try resolved("upload-fd", "/dev/null", O_RDONLY) }?.contains("regular file") == true)
    }

    @Test("A file that was removed, or replaced under its name, has no path any more")
    func replaced() throws {
        let place = try Place()
        let descriptor = open(place.file, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        let fields: [String: VariantValue] = ["upload-fd": .handle(0)]
        try FileManager.default.moveItem(atPath: place.file, toPath: place.file + "2")
        // Moved, it is followed.
        #expect(try PassedFiles.resolved(fields, [descriptor]) == ["upload-file": .string(place.file + "2")])
        try FileManager.default.removeItem(atPath: place.file + "2")
        #expect(refusal { try PassedFiles.resolved(fields, [descriptor]) }?.contains("no path") == true)
        // Another file of the very name that the kernel shows is not taken for it.
        try Data().write(to: URL(fileURLWithPath: place.file + "2 (deleted)"))
        #expect(refusal { try PassedFiles.resolved(fields, [descriptor]) }?.contains("no path") == true)
    }

    @Test("A handle without a descriptor, a text in its place, and both ways at once are refused")
    func malformed() throws {
        let place = try Place()
        #expect(refusal { try PassedFiles.resolved(["upload-fd": .handle(1)], []) }?.contains("comes with") == true)
        #expect(refusal { try PassedFiles.resolved(["upload-fd": .handle(-1)], []) }?.contains("comes with") == true)
        #expect(refusal { try PassedFiles.resolved(["directory-fd": .string("/")], []) }?.contains("(h)") == true)
        #expect(
            refusal { try resolved("upload-fd", place.file, O_RDONLY, beside: ["upload-file": .string("/x")]) }?
                .contains("say the same") == true)
    }
}
