// SPDX-License-Identifier: Apache-2.0
import CommandRunner
import ToolSupport

/// A check before the installation of a gate: may the unit wait for days?
struct GateCheck {
    private let unit: GatedUnit
    private let properties: (String) throws -> [String: String]

    /// Creates a check that asks the unit's systemd.
    init(_ unit: GatedUnit) {
        self.init(unit) { try unit.properties(Self.names, of: $0) }
    }

    /// Creates a check with the properties of units by name.
    init(_ unit: GatedUnit, properties: @escaping (String) throws -> [String: String]) {
        (self.unit, self.properties) = (unit, properties)
    }

    /// The properties that the check needs, as `systemctl show` names them.
    private static let names = ["LoadState", "DefaultDependencies", "Before", "JobTimeoutUSec"] + pulling
    /// The properties with the units that start a unit.
    private static let pulling = ["WantedBy", "RequiredBy", "RequisiteOf", "BoundBy", "UpheldBy"]
    /// The most units to follow upward. A unit with more dependents is part of the system.
    private static let mostUnits = 256

    /// The targets of systemd.special(7) that a machine or a session reaches when it starts, sleeps, or shuts down.
    private static let systemTargets: Set<String> = [
        "basic", "boot-complete", "cryptsetup", "ctrl-alt-del", "default", "emergency", "exit", "factory-reset",
        "final",
        "first-boot-complete", "getty", "getty-pre", "graphical", "graphical-session", "graphical-session-pre", "halt",
        "hibernate", "hybrid-sleep", "initrd", "initrd-fs", "initrd-root-device", "initrd-root-fs",
        "initrd-switch-root", "integritysetup", "kexec", "local-fs", "local-fs-pre", "multi-user", "network",
        "network-online", "network-pre", "nss-lookup", "nss-user-lookup", "paths", "poweroff", "reboot",
        "remote-cryptsetup", "remote-fs", "remote-fs-pre", "rescue", "rpcbind", "slices", "sleep", "sockets",
        "soft-reboot", "suspend", "suspend-then-hibernate", "swap", "sysinit", "system-update", "time-set", "time-sync",
        "timers", "umount", "veritysetup", "xdg-desktop-autostart",
    ]
    /// The services that a gate needs before it can open.
    private static let needed: Set<String> = [
        "NetworkManager", "dbus", "dbus-broker", "polkit", "transfer-conditions", "transferd", "upower",
        "wpa_supplicant",
    ]

    /// Returns whether the unit's limit for the time of its job must be lifted.
    ///
    /// - Throws: `UsageError` that says why the unit cannot have a gate.
    func liftsTimeLimit() throws -> Bool {
        let base = String(unit.name.dropLast(".service".count))
        guard !Self.needed.contains(base), !base.hasPrefix("systemd-"), !base.hasPrefix("transfer-gate-"),
            !base.hasPrefix("user@"), !base.hasPrefix("user-runtime-dir@")
        else { throw UsageError("\(unit.name) cannot wait: systemd, or a gate itself, needs it") }
        let own = try properties(unit.name)
        switch own["LoadState"] {
        case "loaded": break
        case "masked": throw UsageError("\(unit.name) is masked; unmask it first: systemctl unmask \(unit.name)")
        case "not-found", nil:
            let manager = unit.isUser ? "your systemd" : "the machine's systemd"
            let other = unit.isUser ? "--system" : "--user"
            throw UsageError("\(manager) has no unit \(unit.name); check the name, or use \(other)")
        case let state?: throw UsageError("\(unit.name) cannot be loaded (\(state)); see systemctl status \(unit.name)")
        }
        guard own["DefaultDependencies"] != "no" else {
            throw UsageError(
                "\(unit.name) cannot wait: it runs while the machine starts or shuts down (DefaultDependencies=no)")
        }
        // Each unit is ordered before shutdown.target, so that it ends in time.
        if let target = Self.words(own["Before"]).first(where: { $0 != "shutdown.target" && Self.isSystemTarget($0) }) {
            throw UsageError("\(unit.name) cannot wait: \(target) waits for it")
        }
        if let target = try systemTargetThatStarts() {
            throw UsageError(
                "\(unit.name) cannot wait: \(target) starts it and would wait too. Start it by a timer, or make it run while "
                    + "conditions hold with WantedBy= and BindsTo= of a target; see 'transferctl service install --help'"
            )
        }
        return own["JobTimeoutUSec"].map { $0 != "infinity" } ?? false
    }

    /// Returns a target of the system that starts the unit, itself or by other units.
    private func systemTargetThatStarts() throws -> String? {
        var (seen, next): (Set<String>, [String]) = ([unit.name], [unit.name])
        while let name = next.popLast() {
            let all = try properties(name)
            for starter in Self.pulling.flatMap({ Self.words(all[$0]) }) where seen.insert(starter).inserted {
                if Self.isSystemTarget(starter) || seen.count > Self.mostUnits { return starter }
                next.append(starter)
            }
        }
        return nil
    }

    private static func words(_ text: String?) -> [String] { (text ?? "").split(separator: " ").map(String.init) }

    private static func isSystemTarget(_ name: String) -> Bool {
        guard name.hasSuffix(".target") else { return false }
        let base = name.dropLast(".target".count)
        return systemTargets.contains(String(base)) || base.hasPrefix("runlevel")
    }
}
