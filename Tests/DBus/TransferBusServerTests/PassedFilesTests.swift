// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Testing
import TransferEngine
import TransferModel
import TransferSessions

@testable import TransferBusProtocol
@testable import TransferBusServer

/// A temporary folder for a single test, with a file in it.
private final class TemporaryFolder {
    let folder: String
    let file: String

    init() throws {
        var template = Array((NSTemporaryDirectory() + "passed-XXXXXX").utf8CString)
        let made = try #require(mkdtemp(&template))
        // The path as the kernel reports it, without symbolic links.
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
        return try resolved(fields.merging([key: .handle(0)]) { $1 }, [descriptor])
    }

    private func resolved(_ fields: [String: VariantValue], _ descriptors: [Int32]) throws -> [String: VariantValue] {
        try PassedFiles(fields, descriptors, from: BusCaller(name: ":1", app: "a", kind: .app)).fields
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

    @Test("Passed files and folders are replaced with their paths")
    func paths() throws {
        let temporary = try TemporaryFolder()
        #expect(try resolved("upload-fd", temporary.file, O_RDONLY) == ["upload-file": .string(temporary.file)])
        #expect(try resolved("directory-fd", temporary.folder, O_RDONLY) == ["directory": .string(temporary.folder)])
        #expect(try resolved(["url": .string("u")], []) == ["url": .string("u")])
    }

    @Test("A descriptor that proves no right to the content is refused, and the error says why")
    func rights() throws {
        let temporary = try TemporaryFolder()
        let pathOnly: Int32 = 0o10000000
        #expect(
            refusal { try resolved("upload-fd", temporary.file, O_WRONLY) }?.contains("not open for reading") == true)
        #expect(refusal { try resolved("upload-fd", temporary.file, pathOnly) }?.contains("O_PATH") == true)
        #expect(refusal { try resolved("directory-fd", temporary.folder, pathOnly) }?.contains("O_PATH") == true)
        #expect(refusal { try resolved("upload-fd", temporary.folder, O_RDONLY) }?.contains("regular file") == true)
        #expect(refusal { try resolved("directory-fd", temporary.file, O_RDONLY) }?.contains("a folder") == true)
        // A device is not a regular file.
        #expect(refusal { try resolved("upload-fd", "/dev/null", O_RDONLY) }?.contains("regular file") == true)
    }

    @Test("A removed or replaced file no longer has a path")
    func replaced() throws {
        let temporary = try TemporaryFolder()
        let descriptor = open(temporary.file, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        let fields: [String: VariantValue] = ["upload-fd": .handle(0)]
        try FileManager.default.moveItem(atPath: temporary.file, toPath: temporary.file + "2")
        // A moved file is found by its new path.
        #expect(try resolved(fields, [descriptor]) == ["upload-file": .string(temporary.file + "2")])
        try FileManager.default.removeItem(atPath: temporary.file + "2")
        #expect(refusal { try resolved(fields, [descriptor]) }?.contains("no path") == true)
        // A new file with the name that the kernel shows for the removed file is not mistaken for it.
        try Data().write(to: URL(fileURLWithPath: temporary.file + "2 (deleted)"))
        #expect(refusal { try resolved(fields, [descriptor]) }?.contains("no path") == true)
    }

    @Test("A handle without a descriptor, a string instead of a handle, and a path with a descriptor are refused")
    func malformed() throws {
        let temporary = try TemporaryFolder()
        #expect(refusal { try resolved(["upload-fd": .handle(1)], []) }?.contains("passed with") == true)
        #expect(refusal { try resolved(["upload-fd": .handle(-1)], []) }?.contains("passed with") == true)
        #expect(refusal { try resolved(["directory-fd": .string("/")], []) }?.contains("(h)") == true)
        #expect(
            refusal { try resolved("upload-fd", temporary.file, O_RDONLY, beside: ["upload-file": .string("/x")]) }?
                .contains("cannot be combined") == true)
    }

    private static let sandboxed = BusCaller(name: ":1", app: "org.example.App", kind: .sandboxed(.flatpak))

    @Test(
        "C2: paths from a sandboxed program are refused, and the error names the descriptor to pass",
        arguments: [
            ("directory", "directory-fd"), ("upload-file", "upload-fd"),
        ])
    func sandboxedPaths(key: String, instead: String) {
        let fault = #expect(throws: BusFault.self) {
            try PassedFiles([key: .string("/data/u/x")], [], from: Self.sandboxed)
        }
        #expect(fault?.code == .accessDenied)
        #expect(fault?.message.contains("'\(instead)'") == true)
    }

    @Test("C2: for a sandboxed program, the identity of its folder and the file itself are kept")
    func sandboxedDescriptors() throws {
        let temporary = try TemporaryFolder()
        let (file, folder) = (open(temporary.file, O_RDONLY | O_CLOEXEC), open(temporary.folder, O_RDONLY | O_CLOEXEC))
        defer { for descriptor in [file, folder] { close(descriptor) } }
        var status = stat()
        try #require(fstat(folder, &status) == 0)
        let passed = try PassedFiles(["directory-fd": .handle(1)], [file, folder], from: Self.sandboxed)
        #expect(passed.folder?.inode == UInt64(status.st_ino) && passed.folder?.device == UInt64(status.st_dev))
        let upload = try PassedFiles(["upload-fd": .handle(0)], [file, folder], from: Self.sandboxed)
        #expect(upload.upload == file)
        #expect(upload.fields["upload-file"] == .string("/file"))
        // The upload is accepted even if no path leads to the file, as in a sandbox.
        try FileManager.default.removeItem(atPath: temporary.file)
        #expect(try PassedFiles(["upload-fd": .handle(0)], [file], from: Self.sandboxed).upload == file)
    }

    @Test("C2: an upload task needs a descriptor from a sandboxed program, and accepts either from others")
    func postedOrders() throws {
        let temporary = try TemporaryFolder()
        let file = open(temporary.file, O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        func order(_ fields: [String: VariantValue]) -> [String: VariantValue] {
            let task = fields.merging([
                "task": .integer(1), "request": .dictionary(["url": .string("http://h/")]), "ended": .bool(true),
                "received": .integer(7),
            ]) { $1 }
            return ["order": .string("submit"), "snapshot": .dictionary(task)]
        }
        let fault = #expect(throws: BusFault.self) {
            try PostedOrder(order(["upload-file": .string("/data/u/.ssh/id")]), [], from: Self.sandboxed)
        }
        #expect(fault?.code == .accessDenied)
        let posted = try PostedOrder(order(["upload-fd": .handle(0)]), [file], from: Self.sandboxed)
        #expect(posted.file == file)
        guard case .submit(let snapshot) = posted.order else {
            Issue.record("no submission")
            return
        }
        #expect(snapshot.kind == .upload(path: "/file"))
        // An app cannot set the values that only the daemon knows.
        #expect(!snapshot.isEnded && snapshot.received == 0)
        let app = BusCaller(name: ":1", app: "a", kind: .app)
        let plain = try PostedOrder(order(["upload-file": .string("/x")]), [], from: app)
        #expect(plain.file == nil)
    }
}
