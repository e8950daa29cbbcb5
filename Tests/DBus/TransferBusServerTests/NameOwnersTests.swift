// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

@testable import TransferBusServer

@Suite struct NameOwnersTests {
    @Test("A name that changes hands is the new owner's alone, and each new owner is told of")
    func changedHands() async {
        let programs = BusPrograms()
        let names = NameOwners(over: ServerConnection(lendingTo: programs))
        var told: [String] = []
        names.onOwner = { told.append("\($0) \($1)") }
        names.change("org.example.App", from: "", to: ":1.7")
        #expect(names.book.owns(":1.7", "org.example.App"))
        names.change("org.example.App", from: ":1.7", to: ":1.8")
        #expect(!names.book.owns(":1.7", "org.example.App"))
        #expect(names.book.owns(":1.8", "org.example.App"))
        names.change("org.example.App", from: ":1.8", to: "")
        #expect(!names.book.owns(":1.8", "org.example.App"))
        #expect(told == ["org.example.App :1.7", "org.example.App :1.8"])
        await programs.executor.stop()
    }

    @Test("A new owner is reported after its name is in the book")
    func reportedLate() async {
        let programs = BusPrograms()
        let names = NameOwners(over: ServerConnection(lendingTo: programs))
        var isInBook: Bool?
        names.onOwner = { [unowned names] in isInBook = names.book.owns($1, $0) }
        names.change("org.example.Desktop", from: "", to: ":1.7")
        #expect(isInBook == true)
        await programs.executor.stop()
    }
}
