// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import ToolSupport
import TransferBusClient
import TransferModel

/// The `transferctl retry` command, which submits failed and canceled transfers again.
struct RetryCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Submit failed and canceled transfers again.",
        discussion: """
            Prints the ID of each new transfer. A request with a query, header fields, cookies, or a login cannot be \
            retried, because the daemon does not keep them after the end: use 'transferctl add' again.
            """)

    @Argument(
        help: .init("The IDs of ended transfers: see 'transferctl list --all'.", valueName: "id"),
        completion: TransferIDs.endedCompletion)
    var ids: [Int64] = []

    @Flag(help: "Retry all failed transfers that were submitted from the command line.")
    var failed = false

    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        guard ids.isEmpty == failed else { throw UsageError("select the transfers by IDs or by --failed") }
        let transfers = EndedTransfers(of: client)
        guard failed else {
            for id in try await transfers.retry(ids.map(TransferID.init)) { Console.print("\(id)") }
            return
        }
        let ended = try await transfers.latest(of: "person").filter { $0.state == .failed }
        for status in ended {
            // One by one, because one that cannot be retried must not prevent the others.
            do {
                for id in try await transfers.retry([status.id]) { Console.print("\(id)") }
            } catch {
                Console.error("transferctl: \(error)")
            }
        }
        if ended.isEmpty { Console.error("No failed transfers.") }
    }
}

/// The `transferctl remove` command, which removes ended transfers from lists and the history.
struct RemoveCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove ended transfers from the list and the history. Their files stay.")

    @Argument(
        help: .init("The IDs of ended transfers: see 'transferctl list --all'.", valueName: "id"),
        completion: TransferIDs.endedCompletion)
    var ids: [Int64]

    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        try await EndedTransfers(of: client).remove(ids.map(TransferID.init))
    }
}

/// The `transferctl clear` command, which removes all ended transfers of the user from lists and the history.
struct ClearCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Remove the ended transfers of 'list --all' from the list and the history. Their files stay.",
        discussion: "Transfers of apps stay. Prints the number of removed transfers to standard error.")

    @Flag(help: "Remove only failed transfers.")
    var failed = false

    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        let transfers = EndedTransfers(of: client)
        let ended = try await transfers.latest(of: "person").filter { !failed || $0.state == .failed }
        try await transfers.remove(ended.map(\.id))
        Console.error("Removed \(ended.count) \(ended.count == 1 ? "transfer" : "transfers").")
    }
}
