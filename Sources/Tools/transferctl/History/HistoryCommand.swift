// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import GLibBridge
import PolicyLab
import ToolSupport
import TransferBusClient
import TransferBusProtocol

/// The `transferctl history` command, which shows recorded transfers and conditions.
struct HistoryCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Show what was recorded: transfers with what became of them, and what the machine was like.",
        discussion: """
            --trace writes what the machine was like, and --workload the transfers, as 'transferlab' reads them: to try \
            policies on your own days.

            With --json one object: transfers, a list of objects (id, name, url without its query, app, session, kind, \
            priority, host, upload, status, bytes, path, moments: a list of time, event, note), and conditions, a list of \
            start, end, power, level, network, linkKind, metered, asleep.
            """)

    @Option(help: .init("From so long ago on: 90m, 12h, 7d.", valueName: "time"))
    var since = "7d"

    @Flag(help: "Write a trace for transferlab: what the machine was like.")
    var trace = false

    @Flag(help: "Write a workload for transferlab: the downloads and uploads whose sizes are known.")
    var workload = false

    @Flag(help: "Write JSON.")
    var json = false

    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        guard [trace, workload, json].count(where: \.self) < 2 else {
            throw UsageError("--trace, --workload and --json each write another format; give one of them")
        }
        let past = try await RecordedPast.ask(client, since: since)
        if json { return JSONLine.print(past.page.fields.mapValues(\.json)) }
        if trace {
            return Console.printText(try past.neededTrace(since: since).csv)
        }
        if workload {
            return Console.printText(try past.neededWorkload(since: since).csv)
        }
        guard !past.transfers.isEmpty || !past.conditions.isEmpty else {
            return Console.error("nothing was recorded in the last \(since)")
        }
        for line in past.lines { Console.print(line) }
    }
}
