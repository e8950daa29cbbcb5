// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import GLibBridge
import ToolSupport
import TransferBusClient
import TransferBusProtocol
import TransferEngine
import TransferModel

/// The `transferctl list` command, which shows the daemon's transfers.
struct ListCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Show the daemon's unfinished transfers, the commands of 'transferctl run', and their wait reasons.",
        discussion: """
            With IDs, all details of these transfers, also of ended ones. More than three transfers in a row that wait for \
            the same reason are one line with the first and the last ID; --each lists them one by one.
            """)

    @Argument(
        help: ArgumentHelp("The IDs of transfers and commands to show in full.", valueName: "id"),
        completion: TransferIDs.completion)
    var ids: [WorkReference] = []

    @Flag(name: .shortAndLong, help: "Include the latest 1000 transfers that have ended.")
    var all = false

    @Flag(help: "Give each transfer its own lines, although it waits for the same reason as its neighbors.")
    var each = false

    @Option(help: .init("Show only transfers of this session.", valueName: "name"))
    var session: String?

    @Option(help: .init("Show only transfers of this app.", valueName: "name"))
    var app: String?

    @Flag(help: "Write JSON.")
    var json = false

    @OptionGroup var daemon: DaemonOptions

    private var width: Int { Console.isTerminal(STDOUT_FILENO) ? Console.width(STDOUT_FILENO) : 200 }

    func run(with client: BusClient) async throws {
        guard ids.isEmpty else { return try await showDetails(client) }
        var filter = TransferFilter()
        filter.session = session
        filter.app = app
        filter.ended = all ? 1000 : 0
        let rows = try await client.explainedList(filter)
        let commands = session == nil && app == nil ? try await CommandClient(client).listIfAllowed() : []
        if json { return Self.printJSON(rows.map(\.fields), commands) }
        guard !rows.isEmpty || !commands.isEmpty else {
            let what = all ? "No transfers." : "No unfinished transfers. --all also shows ended transfers."
            return Console.error(what)
        }
        Console.printFitted(StatusTable(rows, commands, width: width, isGrouped: !each).text)
    }

    private func showDetails(_ client: BusClient) async throws {
        guard !all, session == nil, app == nil else {
            throw UsageError("IDs exclude --all, --session, and --app; use one way to select")
        }
        var transfers: [[String: VariantValue]] = []
        var commands: [CommandStatus] = []
        for reference in ids {
            switch reference {
            case .command(let number): commands.append(try await CommandClient(client).command(number))
            case .transfer(let id):
                // `show(_:)` would drop fields that a later daemon adds. The raw response keeps them.
                transfers.append(
                    try await client.call("Show", [.integer(id.rawValue)], type: "(x)").first?.dictionary ?? [:])
            }
        }
        if json { return Self.printJSON(transfers, commands) }
        var blocks = transfers.map { TransferCard($0).lines(width: width).joined(separator: "\n") }
        if !commands.isEmpty { blocks.append(StatusTable([], commands, width: width).text) }
        Console.print(blocks.joined(separator: "\n\n"))
    }

    private static func printJSON(_ transfers: [[String: VariantValue]], _ commands: [CommandStatus]) {
        JSONLine.print([
            "commands": commands.map(\.listed), "transfers": transfers.map { $0.mapValues(\.json) },
        ])
    }
}
