// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CommandRunner
import Foundation
import ToolSupport

/// The `transferctl gate` command, which makes units of systemd wait for conditions.
struct GateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gate",
        abstract: "Make a unit of systemd, such as a backup, wait for the conditions.",
        discussion: """
            A gate is a unit of its own, transfer-gate-UNIT, on which the unit depends by a drop-in. When a timer or a \
            person starts the unit, systemd starts the gate first. The gate waits until the conditions are right, and \
            only then the unit begins. The unit's own file, its timer, and its time limits stay as they are.
            """,
        subcommands: [
            GateInstall.self, GateRemove.self, GateList.self, GateNow.self, GateGuard.self, GateThaw.self,
        ])
}

/// The argument that names a unit, and the systemd to which the unit belongs.
struct GateTarget: ParsableArguments {
    @Argument(
        help: .init("The unit: backup.service, or restic@home.service for an instance.", valueName: "unit"),
        completion: .shellCommand("systemctl list-unit-files --type=service --no-legend | cut -d ' ' -f 1"))
    var unit: String

    @OptionGroup var manager: GateManager

    /// Returns the unit.
    ///
    /// - Throws: `UsageError` if the name cannot be the name of a service.
    func checked() throws -> GatedUnit {
        var name = unit
        if !name.contains(".") { name += ".service" }
        guard name.hasSuffix(".service") else {
            throw UsageError("'\(unit)' is not a service; a gate needs a unit whose name ends in .service")
        }
        let allowed = name.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII
                && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                    || ":_.@\\-".unicodeScalars.contains(scalar))
        }
        guard allowed, !name.hasPrefix("."), !name.hasPrefix("-"), name != ".service" else {
            throw UsageError("'\(unit)' is not the name of a unit; use letters, digits, and : _ . @ \\ -")
        }
        guard name.utf8.count <= 255 - GateFiles.prefix.utf8.count else {
            throw UsageError("the name '\(unit)' is too long for a unit and its gate; systemd allows 255 bytes")
        }
        guard !name.hasSuffix("@.service") else {
            throw UsageError("'\(unit)' is a template; name an instance, such as \(name.dropLast(8))home.service")
        }
        return GatedUnit(name, isUser: manager.isUser)
    }

    /// Returns the files of the unit's gate.
    ///
    /// - Throws: `UsageError` if the unit has none.
    func gate() throws -> GateFiles {
        let files = try GateFiles(try checked())
        guard files.exist else {
            throw UsageError("\(files.unit.name) has no gate; 'transferctl gate list' shows all gates")
        }
        return files
    }
}

/// The systemd to which units belong.
struct GateManager: ParsableArguments {
    @Flag(name: .customLong("user"), help: "A unit of your own systemd (default, except for root).")
    var usesUserManager = false

    @Flag(name: .customLong("system"), help: "A unit of the machine's systemd (default for root).")
    var usesSystemManager = false

    /// A Boolean value that indicates whether the user's systemd is meant.
    var isUser: Bool { usesUserManager || !usesSystemManager && getuid() != 0 }

    func validate() throws {
        guard !usesUserManager || !usesSystemManager else {
            throw ValidationError("--user and --system are mutually exclusive; use one of them")
        }
    }
}

/// The `transferctl gate remove` command.
struct GateRemove: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove the gate of a unit. A run that waits begins immediately, and a frozen run continues.")

    @OptionGroup var target: GateTarget

    func run() throws {
        let files = try target.gate()
        let unit = files.unit
        // While the gate's own file exists, systemd knows how to thaw the unit.
        try files.removeDropIn()
        try unit.perform("daemon-reload")
        try unit.perform("stop", files.gate.name)
        try files.removeGate()
        try unit.perform("daemon-reload")
        Console.error("\(unit.name) no longer waits for conditions.")
    }
}

/// The `transferctl gate now` command.
struct GateNow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "now", abstract: "Let a unit that waits or is frozen run, whatever the conditions are.",
        discussion: "The unit must have been started. Later runs wait again. Needs root for a unit of the machine.")

    @OptionGroup var target: GateTarget

    func run() throws {
        let files = try target.gate()
        let unit = files.unit
        var status = GateStatus(of: files)
        // Before the gate says why the unit waits, it handles no signals.
        for _ in 0..<50 where status == GateStatus(activeState: "activating", text: "") {
            usleep(100_000)
            status = GateStatus(of: files)
        }
        guard status.reason != nil else { throw UsageError("\(unit.name) does not wait; start it with systemctl") }
        try unit.perform("kill", "--kill-who=main", "--signal=USR1", files.gate.name)
    }
}

/// The `transferctl gate thaw` command, with which systemd thaws a unit after its gate has ended for any reason.
struct GateThaw: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "thaw", abstract: "Thaw a unit whose gate has ended.", shouldDisplay: false)

    @OptionGroup var target: GateTarget

    func run() throws {
        let unit = try target.checked()
        do { _ = try unit.setFrozen(false) } catch { throw UsageError("\(error)") }
    }
}

extension GatedUnit {
    /// Runs `systemctl`.
    ///
    /// - Throws: `UsageError` with the message of `systemctl`.
    func perform(_ words: String...) throws {
        do { try systemctl(words) } catch { throw UsageError("\(error)") }
    }

    /// Returns a property of a unit of the same systemd.
    func property(_ property: String, of name: String) throws -> String {
        do { return try systemctl(["show", "-P", property, name]) } catch { throw UsageError("\(error)") }
    }

    /// Returns properties of a unit of the same systemd by their names. A property that systemd does not know is
    /// missing.
    func properties(_ names: [String], of name: String) throws -> [String: String] {
        let text: String
        do { text = try systemctl(["show", "-p", names.joined(separator: ","), name]) } catch {
            throw UsageError("\(error)")
        }
        let pairs = text.split(separator: "\n").compactMap { line -> (String, String)? in
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
        }
        return Dictionary(pairs) { $1 }
    }
}
