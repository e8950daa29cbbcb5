// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import ToolSupport

@Suite("the state folder")
struct PrivateFolderTests {
    @Test("is made with what is missing above it, for its owner alone, and a second time is as good")
    func isPrivate() throws {
        let base = NSTemporaryDirectory() + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: base) }
        for _ in 0..<2 { try PrivateFolder.make(base + "/a/b") }
        for path in [base, base + "/a", base + "/a/b"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o700)
        }
    }

    @Test("that cannot be made is told in a plain sentence")
    func refusal() throws {
        let base = NSTemporaryDirectory() + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: base) }
        try Data().write(to: URL(fileURLWithPath: base))
        let error = #expect(throws: UsageError.self) { try PrivateFolder.make(base + "/a/b") }
        #expect(
            error?.description
                == "the state folder \(base)/a/b cannot be made (Not a directory at \(base)); give another --state-dir")
    }
}
