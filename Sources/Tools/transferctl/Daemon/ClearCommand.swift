// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import ToolSupport
import TransferBusClient
import TransferModel

/// The `transferctl clear` command, which removes ended transfers from the list.
struct ClearCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Remove ended transfers from 'list --all'. Their files and their history stay.",
        discussion: "Without IDs, transfers of apps stay. Prints the number of removed transfers to standard error.")

    @Argument(
        help: .init("The IDs of ended transfers (default: all of the command line).", valueName: "id"),
        completion: TransferIDs.endedCompletion)
    var ids: [Int64] = []

    @Flag(help: "Remove only failed transfers.")
    var failed = false

    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        guard ids.isEmpty || !failed else { throw UsageError("select the transfers by IDs or by --failed") }
        let transfers = EndedTransfers(of: client)
        var ended = ids.map(TransferID.init)
        if ids.isEmpty {
            ended = try await transfers.latest(of: "person").filter { !failed || $0.state == .failed }.map(\.id)
        }
        try await transfers.remove(ended)
        Console.error("Removed \(ended.count) \(ended.count == 1 ? "transfer" : "transfers").")
    }
}
