// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import GLibBridge
import ToolSupport
import TransferBusProtocol

/// `transferctl why`.
struct WhyCommand: OneTransferCommand {
    static let method = "Explain"
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "Say why a transfer of the daemon waits: all reasons, and what alone would start it.",
        discussion: """
            With --json one object: sentence, reasons (a list of code, sentence, since, source, sureness and the reason's own \
            data), waited (a list of code, seconds), until and expectedChance where they are known.
            """)

    @OptionGroup var question: OneTransferOptions
    @OptionGroup var daemon: DaemonOptions

    func tell(_ fields: [String: VariantValue]) {
        Console.print((fields["sentence"]?.string ?? "").printable)
        let waited = (fields["waited"]?.items ?? []).compactMap { item -> String? in
            guard let entry = item.dictionary, let code = entry["code"]?.string, let seconds = entry["seconds"]?.integer
            else { return nil }
            return "\(Self.words(code)) \(Formatting.span(seconds))"
        }
        if !waited.isEmpty { Console.print("waited so far: " + waited.joined(separator: ", ")) }
        if let until = WatchConditions.time(fields["until"]) { Console.print("next look at the latest: \(until)") }
    }

    /// A reason's code as words: `onBattery` as `on battery`.
    static func words(_ code: String) -> String {
        code.reduce(into: "") { text, letter in
            if letter.isUppercase { text += " " }
            text += letter.lowercased()
        }
    }
}
