// SPDX-License-Identifier: Apache-2.0
import Foundation
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

    @Test("Is reported in a plain sentence if it cannot be created")
    func refusal() throws {
        let base = NSTemporaryDirectory() + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: base) }
        try Data().write(to: URL(fileURLWithPath: base))
        let error = #expect(throws: UsageError.self) { try PrivateFolder.make(base + "/a/b") }
        #expect(
            error?.description
                == "cannot create the state folder \(base)/a/b (Not a directory at \(base)); use another --state-dir")
    }
}
