// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import GLibBridge
import ToolSupport
import TransferBusProtocol

/// `transferctl log`.
struct LogCommand: OneTransferCommand {
    static let method = "Log"
    static let configuration = CommandConfiguration(
        commandName: "log", abstract: "Show what happened to a transfer, a line each time.",
        discussion: "With --json one object as those of 'transferctl history'.")

    @OptionGroup var question: OneTransferOptions
    @OptionGroup var daemon: DaemonOptions

    func tell(_ fields: [String: VariantValue]) {
        Console.print("\(fields["name"]?.string ?? "") (\(fields["url"]?.string ?? ""))".printable)
        for case .dictionary(let moment) in fields["moments"]?.items ?? [] {
            let words = [
                RecordedPast.time(moment["time"]), moment["event"]?.string, moment["note"]?.string.map { "- \($0)" },
            ]
            Console.print(words.compactMap(\.self).joined(separator: "  ").printable)
        }
    }
}
