// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import GLibBridge
import Glibc
import ToolSupport
import TransferBusClient
import TransferBusProtocol
import TransferEngine
import TransferModel

/// The `transferctl show` command, which shows all details of a transfer.
struct ShowCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show details of a transfer.",
        discussion:
            "With --json: one object with the keys of 'transferctl list', directory, constraints, policy, and on-complete."
    )

    @OptionGroup var reference: TransferReference
    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        // `show(_:)` would drop fields that a later daemon adds. The raw response keeps them.
        let id = try reference.id.transfer.rawValue
        let fields = try await client.call("Show", [.integer(id)], type: "(x)").first?.dictionary ?? [:]
        if reference.json { return JSONLine.print(fields.mapValues(\.json)) }
        let width = Console.isTerminal(STDOUT_FILENO) ? Console.width(STDOUT_FILENO) : 200
        Console.print(TransferCard(fields).lines(width: width).joined(separator: "\n"))
    }
}
