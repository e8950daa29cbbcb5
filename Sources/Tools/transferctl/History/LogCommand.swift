// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import ToolSupport
import TransferEngine
import TransferModel

/// The `transferctl log` command, which shows the history of a transfer.
struct LogCommand: OneTransferCommand {
    static let configuration = CommandConfiguration(
        commandName: "log", abstract: "Show the events of a transfer, one per line.",
        discussion: "With --json: one object with the keys of a transfer in 'transferctl history'.")

    @OptionGroup var reference: TransferReference
    @OptionGroup var daemon: DaemonOptions

    func fetch(_ service: some SharedTransferManager, _ id: TransferID) async throws -> HistoryTransfer {
        try await service.log(of: id)
    }

    func printText(_ history: HistoryTransfer) {
        Console.print("\(history.name) (\(history.url))".printable)
        for event in history.events {
            let columns = [RecordedHistory.time(event.time), event.event] + (event.note.map { ["- \($0)"] } ?? [])
            Console.print(columns.joined(separator: "  ").printable)
        }
    }
}
