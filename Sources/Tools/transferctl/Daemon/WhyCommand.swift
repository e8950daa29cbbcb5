// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import ToolSupport
import TransferBusClient
import TransferEngine
import TransferModel

/// The `transferctl why` command, which explains why a transfer waits.
struct WhyCommand: OneTransferCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract:
            "Explain why a transfer or a command waits: all reasons, and the changes that would start it.",
        discussion: """
            A command of 'transferctl run' has an ID such as c1. If nothing blocks the transfer, its state is printed. \
            Waiting times are m:ss, h:mm:ss, or days and hours.

            With --json: one object with sentence, reasons (a list of code, sentence, since, source, confidence, and the \
            data of the reason), waited (a list of code, seconds), and, if known, until and expectedChance.
            """)

    @OptionGroup var reference: TransferReference
    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        guard let number = reference.id.command else { return print(try await fetch(client, reference.id.transfer)) }
        print(try await CommandClient(client).command(number).explanation)
    }

    func fetch(_ service: some SharedTransferManager, _ id: TransferID) async throws -> WaitExplanation {
        try await service.explain(id)
    }

    func printText(_ explanation: WaitExplanation) {
        Console.print(explanation.sentence.printable)
        let waited = (explanation.waited ?? []).map { "\(Self.words($0.code)) \(Formatting.span($0.seconds))" }
        if !waited.isEmpty { Console.print("waited so far: " + waited.joined(separator: ", ")) }
        if let until = explanation.until { Console.print("next check by \(WatchConditions.time(until))") }
    }

    /// Converts a reason's code to words: `onBattery` becomes `on battery`.
    static func words(_ code: String) -> String {
        switch code {
        case "userInitiated": return "user-initiated"
        case "suspended": return "paused"
        case "settling": return "stable power or network"
        case "waitingForSlot": return "other transfers"
        default: break
        }
        return code.reduce(into: "") { text, letter in
            if letter.isUppercase { text += " " }
            text += letter.lowercased()
        }
    }
}
