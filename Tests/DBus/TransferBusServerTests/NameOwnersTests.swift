// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

@testable import TransferBusServer

@Suite struct NameOwnersTests {
    @Test("A name belongs only to its current owner, and each new owner is reported")
    func changedHands() async {
        let programs = BusPrograms()
        let names = NameOwners(over: ServerConnection(lendingTo: programs))
        var reported: [String] = []
        names.onOwner = { reported.append("\($0) \($1)") }
        names.change("org.example.App", from: "", to: ":1.7")
        #expect(names.registry.owns(":1.7", "org.example.App"))
        names.change("org.example.App", from: ":1.7", to: ":1.8")
        #expect(!names.registry.owns(":1.7", "org.example.App"))
        #expect(names.registry.owns(":1.8", "org.example.App"))
        names.change("org.example.App", from: ":1.8", to: "")
        #expect(!names.registry.owns(":1.8", "org.example.App"))
        #expect(reported == ["org.example.App :1.7", "org.example.App :1.8"])
        await programs.executor.stop()
    }

    @Test("A new owner is reported after its name is registered")
    func reportedLate() async {
        let programs = BusPrograms()
        let names = NameOwners(over: ServerConnection(lendingTo: programs))
        var isRegistered: Bool?
        names.onOwner = { [unowned names] in isRegistered = names.registry.owns($1, $0) }
        names.change("org.example.Desktop", from: "", to: ":1.7")
        #expect(isRegistered == true)
        await programs.executor.stop()
    }
}
