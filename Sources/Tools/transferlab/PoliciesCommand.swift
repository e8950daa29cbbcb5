// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import PolicyLab
import TransferPolicy

/// The `transferlab policies` command: lists the policies that can be compared.
struct PoliciesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "policies", abstract: "List all policies for --policy.")

    @Flag(help: "Show their parameters, defaults, and ranges.")
    var defaults = false

    func run() throws {
        if defaults {
            Console.print(PolicyCatalog.text(of: PolicyCatalog.entries))
        } else {
            for entry in PolicyCatalog.entries { Console.print("\(entry.name): \(entry.summary)") }
        }
        Console.print("\(LabPolicy.optimum): the offline (clairvoyant) optimum; computed, not replayed")
    }
}
