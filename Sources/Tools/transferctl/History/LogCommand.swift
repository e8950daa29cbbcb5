// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import ToolSupport
import TransferEngine
import TransferModel

/// The `transferctl log` command, which shows the history of a transfer.
struct LogCommand: OneTransferCommand {
    static let configuration = CommandConfiguration(
        commandName: "log", abstract: "Show what happened to a transfer, a line each time.",
        discussion: "With --json one object as those of 'transferctl history'.")

    @OptionGroup var question: OneTransferOptions
    @OptionGroup var daemon: DaemonOptions

    func ask(_ service: some SharedTransferService, _ id: TransferID) async throws -> HistoryTransfer {
        try await service.log(of: id)
    }

    func tell(_ answer: HistoryTransfer) {
        Console.print("\(answer.name) (\(answer.url))".printable)
        for moment in answer.moments {
            let words = [RecordedPast.time(moment.time), moment.event] + (moment.note.map { ["- \($0)"] } ?? [])
            Console.print(words.joined(separator: "  ").printable)
        }
    }
}
