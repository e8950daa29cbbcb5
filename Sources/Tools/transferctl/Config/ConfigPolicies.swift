// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import TransferPolicy

/// The `transferctl config policies` command, which lists the values of `get --policy`.
struct ConfigPolicies: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "policies",
        abstract: "List the policies for --policy, with their parameters.",
        discussion: """
            Each parameter is shown with its default, meaning, and range. Separate parameters with colons: get --policy \
            ladder:bat=0.25:cell=0.9 URL.
            """)

    @Flag(help: "Write one JSON object.")
    var json = false

    func run() {
        if json {
            JSONLine.print(Self.object(of: PolicyCatalog.entries))
        } else {
            Console.print(PolicyCatalog.text())
        }
    }

    /// Returns the policies as a JSON object.
    static func object(of entries: [PolicyCatalog.Entry]) -> [String: Any] {
        ["policies": entries.map(object(of:))]
    }

    private static func object(of entry: PolicyCatalog.Entry) -> [String: Any] {
        [
            "name": entry.name, "summary": entry.summary,
            "parameters": entry.parameters.map { parameter -> [String: Any] in
                [
                    "key": parameter.key, "meaning": parameter.meaning, "unit": parameter.unit,
                    "default": number(parameter.defaultValue), "minimum": number(parameter.range.lowerBound),
                    "maximum": number(parameter.range.upperBound), "whole": parameter.isWhole,
                ]
            },
        ]
    }

    /// Returns a number for JSON. Infinity becomes null, because JSON cannot express it. Whole numbers have no
    /// fraction.
    private static func number(_ value: Double) -> Any {
        guard value.isFinite else { return NSNull() }
        return Int64(exactly: value) ?? value
    }
}
