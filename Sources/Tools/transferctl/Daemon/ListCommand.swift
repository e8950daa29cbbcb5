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
            With --json: one object with transfers, a list of objects: id, url (without its query), name, app, session, upload, \
            kind, priority, state (waiting, running, paused, finished, failed, cancelled), bytes, total, rate (bytes per \
            second), attempt, submitted, deadline, deadline-state (atRisk, missed), sentence, path, status, error-code, \
            error; and commands, a list of objects: id, name (the first word of the command), state (waiting, running, frozen, \
            stopping), deadline, sentence. Unknown values are left out.
            """)

    @Flag(name: .shortAndLong, help: "Include the latest 1000 transfers that have ended.")
    var all = false

    @Option(help: .init("Show only transfers of this session.", valueName: "name"))
    var session: String?

    @Option(help: .init("Show only transfers of this app.", valueName: "name"))
    var app: String?

    @Flag(help: "Write JSON.")
    var json = false

    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        var filter = TransferFilter()
        filter.session = session
        filter.app = app
        filter.ended = all ? 1000 : 0
        let rows = try await client.explainedList(filter)
        let commands = session == nil && app == nil ? try await CommandClient(client).listIfAllowed() : []
        if json {
            return JSONLine.print([
                "commands": commands.map(\.listed), "transfers": rows.map { $0.fields.mapValues(\.json) },
            ])
        }
        let width = Console.isTerminal(STDOUT_FILENO) ? Console.width(STDOUT_FILENO) : 200
        if !commands.isEmpty {
            if !rows.isEmpty {
                Console.printFitted(StatusTable(rows: rows, width: width).text + "\n")
            }
            return Console.print(CommandTable(rows: commands, width: width).lines.joined(separator: "\n"))
        }
        guard !rows.isEmpty else {
            let what = all ? "No transfers." : "No unfinished transfers. --all also shows ended transfers."
            return Console.error(what)
        }
        Console.printFitted(StatusTable(rows: rows, width: width).text)
    }
}
