// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import ToolSupport

@testable import TransferDaemon

@Suite("The secret of RPC callers")
struct RPCTokenTests {
    @Test("A token is made once, only its owner can read it, and one that is too short is refused")
    func ensure() throws {
        let path = FileManager.default.temporaryDirectory.path + "/token-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let token = try RPCToken.ensure(at: path)
        #expect(token.utf8.count == 32 && token.allSatisfy(\.isHexDigit))
        #expect(try RPCToken.ensure(at: path) == token)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        try "short\n".write(toFile: path, atomically: true, encoding: .utf8)
        #expect(throws: UsageError.self) { try RPCToken.ensure(at: path) }
    }
}
