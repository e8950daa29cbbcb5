// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxKernel
import Testing
import ToolSupport

@Suite("The state folder")
struct PrivateFolderTests {
    @Test("Is created with its missing parents for its owner only, and a second call succeeds")
    func isPrivate() throws {
        let base = NSTemporaryDirectory() + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: base) }
        for _ in 0..<2 { try PrivateFolder.make(base + "/a/b") }
        for path in [base, base + "/a", base + "/a/b"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o700)
        }
    }

    @Test(
        "A saved list of files is checked as if it came from a server",
        arguments: ["../victim", "/etc/passwd", "a//b", "a/../../b", "a\u{202E}b", "a\nb", "."])
    func savedList(path: String) throws {
        let data = try JSONEncoder().encode(["path": path])
        let file = String(decoding: data, as: UTF8.self).dropLast() + #","urls":["http://h/a"]}"#
        let list = #"{"name":"n","files":[\#(file)]}"#
        #expect(throws: UsageError.self) { try JSONDecoder().decode(FileSet.self, from: Data(list.utf8)) }
        let good = list.replacing(String(decoding: try JSONEncoder().encode(path), as: UTF8.self), with: "\"a/b\"")
        #expect(try JSONDecoder().decode(FileSet.self, from: Data(good.utf8)).files.map(\.path) == ["a/b"])
    }

    @Test("Is reported in a plain sentence if it cannot be created")
    func refusal() throws {
        let base = NSTemporaryDirectory() + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: base) }
        try Data().write(to: URL(fileURLWithPath: base))
        let error = #expect(throws: UsageError.self) { try PrivateFolder.make(base + "/a/b") }
        #expect(
            error?.description
                == "cannot use the state folder \(base)/a/b (\(base) is not a folder); use another --state-dir")
    }
}
