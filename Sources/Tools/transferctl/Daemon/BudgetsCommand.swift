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
        abstract: "Show the budgets of metered bytes and their use.",
        discussion: """
            The daemon's configuration sets the budgets: connection-budgets and app-budgets contain the bytes per billing \
            period, and billing-day is the day of the month on which budgets are renewed. Bytes over a metered network \
            count against both. Discretionary work waits once 80 % is used, and other background work once the budget is \
            used up. \
            User-initiated transfers continue.

            With --json: one object with budgets, a list of objects: scope (connection, app), name, limit, used (bytes), \
            state (below, near, over), renewed.
            """)

    @Flag(help: "Write JSON.")
    var json = false

    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        let rows = try await client.budgets()
        if json { return JSONLine.print(["budgets": rows.map { $0.fields.mapValues(\.json) }]) }
        guard !rows.isEmpty else {
            return Console.error("No budgets. Set connection-budgets or app-budgets in the daemon's configuration.")
        }
        var table = ColumnTable(["SCOPE", "NAME", "USED", "LIMIT", "STATE", "RENEWED"])
        for row in rows {
            table.add([
                row.scope, row.name, Formatting.bytes(row.used), Formatting.bytes(row.limit),
                Self.stateDescriptions[row.state] ?? row.state, WatchConditions.time(row.renewed),
            ])
        }
        table.print()
    }

    private static let stateDescriptions = ["below": "below 80 %", "near": "80 % or more", "over": "used up"]
}
