// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CommandRunner
import Foundation
import ToolSupport

/// The `transferctl gate list` command.
struct GateList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show the units with a gate, and why they wait.",
        discussion: """
            Shows the gates of the machine's systemd and of your own, or of one of them. With --json, each line is an \
            object: unit, manager, state, options, reason. States: idle, waiting, open, frozen, failed, unknown.
            """)

    @OptionGroup var manager: GateManager

    @Flag(help: "Write JSON.")
    var json = false

    func run() throws {
        var managers: [Bool] = []
        if !manager.usesSystemManager { managers.append(true) }
        if !manager.usesUserManager { managers.append(false) }
        var table = ColumnTable(["UNIT", "MANAGER", "STATE", "OPTIONS"])
        var reasons: [String] = []
        var isEmpty = true
        for isUser in managers {
            guard let folder = try? GateFiles.folder(isUser: isUser) else { continue }
            for unit in GateFiles.gatedUnits(in: folder, isUser: isUser) {
                isEmpty = false
                let files = GateFiles(unit, in: folder)
                let status = GateStatus(of: files)
                let (owner, options) = (isUser ? "user" : "system", files.options ?? "")
                if json {
                    var fields = [
                        "unit": unit.name, "manager": owner, "state": status.state, "options": options,
                    ]
                    fields["reason"] = status.reason
                    JSONLine.print(fields)
                } else {
                    table.add([unit.name, owner, status.state, options])
                    if let reason = status.reason { reasons.append("\(unit.name): \(reason)") }
                }
            }
        }
        guard !json else { return }
        guard !isEmpty else { return Console.error("No unit has a gate.") }
        table.print()
        for reason in reasons { Console.print(reason.printable) }
    }
}

/// The state of a gate, as systemd knows it.
struct GateStatus: Equatable {
    /// The state: idle, waiting, open, frozen, failed, or unknown.
    let state: String
    /// A sentence that says why the unit waits; `nil` if it does not.
    let reason: String?

    /// Asks systemd for the state of a gate.
    init(of files: GateFiles) {
        let properties = try? files.gate.properties(["ActiveState", "StatusText"], of: files.gate.name)
        self.init(activeState: properties?["ActiveState"], text: properties?["StatusText"] ?? "")
    }

    /// Creates a state from properties of the gate's unit.
    init(activeState: String?, text: String) {
        switch activeState {
        case "inactive", "deactivating": (state, reason) = ("idle", nil)
        case "activating": (state, reason) = ("waiting", text.isEmpty ? nil : text)
        case "active" where text.hasPrefix("frozen"): (state, reason) = ("frozen", text)
        case "active": (state, reason) = ("open", nil)
        case "failed": (state, reason) = ("failed", nil)
        default: (state, reason) = ("unknown", nil)
        }
    }
}
