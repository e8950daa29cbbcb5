// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import ToolSupport
import TransferEngine
import TransferModel

/// The `transferctl why` command, which explains why a transfer waits.
struct WhyCommand: OneTransferCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "Say why a transfer of the daemon waits: all reasons, and what alone would start it.",
        discussion: """
            With --json one object: sentence, reasons (a list of code, sentence, since, source, sureness and the reason's own \
            data), waited (a list of code, seconds), until and expectedChance where they are known.
            """)

    @OptionGroup var question: OneTransferOptions
    @OptionGroup var daemon: DaemonOptions

    func ask(_ service: some SharedTransferService, _ id: TransferID) async throws -> WaitExplanation {
        try await service.explain(id)
    }

    func tell(_ answer: WaitExplanation) {
        Console.print(answer.sentence.printable)
        let waited = (answer.waited ?? []).map { "\(Self.words($0.code)) \(Formatting.span($0.seconds))" }
        if !waited.isEmpty { Console.print("waited so far: " + waited.joined(separator: ", ")) }
        if let until = answer.until { Console.print("next look at the latest: \(WatchConditions.time(until))") }
    }

    /// Converts a reason's code to words: `onBattery` becomes `on battery`.
    static func words(_ code: String) -> String {
        code.reduce(into: "") { text, letter in
            if letter.isUppercase { text += " " }
            text += letter.lowercased()
        }
    }
}
