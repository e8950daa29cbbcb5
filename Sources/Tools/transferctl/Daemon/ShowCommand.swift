// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import GLibBridge
import Glibc
import ToolSupport
import TransferBusProtocol

/// `transferctl show`.
struct ShowCommand: OneTransferCommand {
    static let method = "Show"
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show all there is to say of a transfer of the daemon.",
        discussion: "With --json one object with the keys of 'transferctl list', and directory and constraints.")

    @OptionGroup var question: OneTransferOptions
    @OptionGroup var daemon: DaemonOptions

    func tell(_ fields: [String: VariantValue]) {
        let width = Console.isTerminal(STDOUT_FILENO) ? Console.width(STDOUT_FILENO) : 200
        Console.print(TransferCard(fields).lines(width: width).joined(separator: "\n"))
    }
}
