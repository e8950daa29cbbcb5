// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import GLibBridge
import PolicyLab
import ToolSupport
import TransferBusClient
import TransferBusProtocol
import TransferEngine
import TransferModel

/// The `transferctl history` command, which shows recorded transfers and conditions.
struct HistoryCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Show recorded transfers and conditions, or the events of one transfer.",
        discussion: """
            --trace writes the conditions and --workload writes the transfers, in the formats of 'transferlab', to try \
            policies on your own history.

            --trace --donate writes both, anonymized, into a new folder with a description and a license, for a corpus that \
            anyone may use: times are moved by whole weeks, sizes are rounded, and names are numbered. Nothing leaves the \
            machine. Before you publish the folder, read what it reveals: 'transferlab check DIR'.
            """)

    @Argument(
        help: ArgumentHelp("The ID of the transfer (default: all).", valueName: "id"),
        completion: TransferIDs.completion)
    var id: Int64?

    @Option(help: .init("The length of the history to show: 90m, 12h (default: 7d).", valueName: "duration"))
    var since: String?

    @Flag(help: "Write the conditions as a trace for transferlab.")
    var trace = false

    @Flag(help: "Write the transfers of known size as a workload for transferlab.")
    var workload = false

    @Flag(help: "Write JSON.")
    var json = false

    @Option(
        help: .init("With --trace: write an anonymized copy into a new folder.", valueName: "folder"),
        completion: .directory)
    var donate: String?

    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        guard [trace, workload, json].count(where: \.self) < 2 else {
            throw UsageError("--trace, --workload, and --json are mutually exclusive; use one of them")
        }
        guard donate == nil || trace else { throw UsageError("--donate requires --trace") }
        if let id {
            guard since == nil, !trace, !workload else {
                throw UsageError("an ID excludes --since, --trace, and --workload; leave them out")
            }
            return printEvents(try await client.log(of: TransferID(id)))
        }
        let since = since ?? "7d"
        let folder = try donate.map { try DonationFolder(path: $0) }
        let history = try await RecordedHistory.fetch(client, since: since)
        if json { return JSONLine.print(history.page.fields.mapValues(\.json)) }
        if let folder, let donate {
            let donation = try folder.write(
                trace: try history.requiredTrace(since: since), jobs: history.workload?.devices.flatMap(\.jobs) ?? [])
            return Console.print(
                "Wrote \(donation.trace.segments.count) periods and \(donation.jobs.count) transfers to \(donate). "
                    + "Before you publish the folder, read what it reveals: transferlab check \(donate)".printable)
        }
        if trace {
            return Console.printText(try history.requiredTrace(since: since).csv)
        }
        if workload {
            return Console.printText(try history.requiredWorkload(since: since).csv)
        }
        guard !history.transfers.isEmpty || !history.conditions.isEmpty else {
            return Console.error("Nothing was recorded in the last \(since).")
        }
        for line in history.lines { Console.print(line) }
    }

    private func printEvents(_ history: HistoryTransfer) {
        if json { return JSONLine.print(history.fields.mapValues(\.json)) }
        Console.print("\(history.name) (\(history.url))".printable)
        for event in history.events {
            let columns = [RecordedHistory.time(event.time), event.event] + (event.note.map { ["- \($0)"] } ?? [])
            Console.print(columns.joined(separator: "  ").printable)
        }
    }
}
