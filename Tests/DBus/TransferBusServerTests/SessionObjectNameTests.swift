// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing
import TransferModel
import TransferPolicy

@testable import TransferBusProtocol
@testable import TransferBusServer

@Suite struct SessionObjectNameTests {
    @Test(
        "The object name of a session encodes the app and the identifier uniquely",
        arguments: [
            ("org.example.App", "nightly"), ("/usr/bin/app", "a__b"), ("a_", "_b"), ("a", ""), ("", "a"), ("ü", "日本"),
            ("a__", "b"), ("a", "__b"),
        ])
    func node(_ app: String, _ identifier: String) {
        let name = SessionKey(app: app, identifier: identifier)
        #expect(
            name.node.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x5F
            })
        #expect(SessionKey(node: name.node) == name)
    }

    @Test("Invalid object names are refused", arguments: ["", "abc", "a_", "a__b_2", "a__b_zz", "a__b_ff"])
    func refused(_ node: String) { #expect(SessionKey(node: node) == nil) }

    @Test("Paths are parsed as their objects only")
    func paths() {
        #expect(SessionKey(path: "/org/transferd/session/a__b") == SessionKey(app: "a", identifier: "b"))
        #expect(SessionKey(path: "/org/transferd/transfer/a__b") == nil)
    }
}
