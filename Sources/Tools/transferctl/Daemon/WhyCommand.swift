// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import ToolSupport
import TransferEngine
import TransferModel

/// The `transferctl why` command, which explains why a transfer waits.
struct WhyCommand: OneTransferCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "Explain why a transfer waits: all reasons, and each change that alone would start it.",
        discussion: """
            If nothing blocks the transfer, the command prints its state. Waiting times are m:ss, h:mm:ss, or days and \
            hours.

            With --json: one object with sentence, reasons (a list of code, sentence, since, source, confidence, and the \
            data of the reason), waited (a list of code, seconds), and, if known, until and expectedChance.
            """)

    @OptionGroup var reference: TransferReference
    @OptionGroup var daemon: DaemonOptions

    func fetch(_ service: some SharedTransferService, _ id: TransferID) async throws -> WaitExplanation {
        try await service.explain(id)
    }

    func printText(_ explanation: WaitExplanation) {
        Console.print(explanation.sentence.printable)
        let waited = (explanation.waited ?? []).map { "\(Self.words($0.code)) \(Formatting.span($0.seconds))" }
        if !waited.isEmpty { Console.print("waited so far: " + waited.joined(separator: ", ")) }
        if let until = explanation.until { Console.print("next check at \(WatchConditions.time(until)) at the latest") }
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
