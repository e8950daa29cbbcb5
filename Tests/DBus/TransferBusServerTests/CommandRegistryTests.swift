// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing
import TransferBusProtocol
import TransferModel

@testable import TransferBusServer

/// Tests of the list of commands that run under conditions.
@Suite struct CommandRegistryTests {
    private func status(_ name: String) -> CommandStatus { CommandStatus(name: name, state: .waiting) }

    @Test("A connection has one command, which keeps its number until the connection closes")
    func numbers() throws {
        var registry = CommandRegistry()
        #expect(try registry.set(status("a"), of: ":1.1") == 1)
        #expect(try registry.set(status("b"), of: ":1.2") == 2)
        #expect(try registry.set(status("c"), of: ":1.1") == 1)
        #expect(registry.all.map(\.name) == ["c", "b"])
        #expect(registry.connection(of: 2) == ":1.2")
        registry.remove(":1.1")
        #expect(registry.connection(of: 1) == nil)
        #expect(try registry.set(status("d"), of: ":1.1") == 3)
    }

    @Test("The number of commands is limited, and the error says so")
    func limit() throws {
        var registry = CommandRegistry()
        for number in 0..<CallerLimits.commands { _ = try registry.set(status("a"), of: ":1.\(number)") }
        #expect(throws: BusFault.self) { _ = try registry.set(status("a"), of: ":2.1") }
        _ = try registry.set(status("b"), of: ":1.0")
    }

    @Test("A command is sent with its keys; a name that is too long and unknown keys are refused")
    func coding() throws {
        var command = CommandStatus(
            name: "restic", state: .frozen, deadline: WallTime(secondsSinceEpoch: 1_795_392_000))
        command.explanation = WaitExplanation(
            sentence: "on battery", reasons: [WaitReasonReport(code: "onBattery", sentence: "on battery")])
        #expect(try CommandStatus(command.fields) == command)
        var fields = command.fields
        fields["name"] = .string(String(repeating: "x", count: 256))
        #expect(throws: BusFault.self) { _ = try CommandStatus(fields) }
        fields = command.fields
        fields["secret"] = .string("x")
        #expect(throws: BusFault.self) { _ = try CommandStatus(fields) }
        #expect(throws: BusFault.self) { _ = try CommandStatus([:]) }
        fields = command.fields
        fields["state"] = .string("dancing")
        #expect(throws: BusFault.self) { _ = try CommandStatus(fields) }
    }
}
