// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import GLibBridge
import ToolSupport
import TransferBusClient
import TransferBusProtocol
import TransferEngine
import TransferModel

/// The `transferctl budgets` command, which shows how much of the budgets of metered bytes is used.
struct BudgetsCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "budgets",
        abstract: "Show the budgets of metered bytes, and what is spent of them.",
        discussion: """
            The daemon's settings give connections and apps a budget: connection-budgets and app-budgets name the bytes from \
            one billing day to the next, billing-day is the day of the month. Bytes that come over a metered network count \
            against both. Discretionary work waits once 80 % are spent, other background work once all is spent; what you \
            wait for yourself goes on.

            With --json one object with budgets, a list of objects: scope (connection, app), name, limit, used (bytes), \
            state (below, near, over), renewed.
            """)

    @Flag(help: "Write JSON.")
    var json = false

    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        let rows = try await client.budgets()
        if json { return JSONLine.print(["budgets": rows.map { $0.fields.mapValues(\.json) }]) }
        guard !rows.isEmpty else {
            return Console.error("nothing has a budget; connection-budgets and app-budgets set one")
        }
        var table = TextTable(["BUDGET OF", "NAME", "SPENT", "LIMIT", "STATE", "RENEWED"])
        for row in rows {
            table.add([
                row.scope, row.name, Formatting.bytes(row.used), Formatting.bytes(row.limit),
                Self.words[row.state] ?? row.state, WatchConditions.time(row.renewed),
            ])
        }
        table.print()
    }

    private static let words = ["below": "below 80 %", "near": "80 % or more", "over": "used up"]
}
