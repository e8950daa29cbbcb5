// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A real upowerd on a bus of ours, over a battery and a plug that umockdev fakes.
///
/// The rig starts with mains online and the battery charging at 80 %; the daemon is started by `spawn`.
package struct PowerRig: Sendable {
    /// Why it cannot run here; nil when it can.
    package static let unavailabilityReason: String? = {
        if let reason = RigTools.missing([
            "dbus-daemon", "umockdev-wrapper", "/usr/bin/python3", "/usr/libexec/upowerd",
        ]) {
            return reason
        }
        return CommandedRig.missingModules(
            "import gi; gi.require_version('UMockdev', '1.0'); from gi.repository import UMockdev",
            "Python's gi with UMockdev")
    }()

    /// The folder that stands for the machine; its `sys` is the faked sysfs.
    package let root: String
    /// The faked sysfs.
    package var sysfsRoot: String { "\(root)/sys" }
    /// What makes a process hear the faked kernel's announcements, too.
    package var kernelEnvironment: [String: String] {
        ["LD_PRELOAD": "libumockdev-preload.so.0", "UMOCKDEV_DIR": root]
    }

    private let rig: CommandedRig

    /// Fakes the supplies, or a machine that lists none.
    package init(bus: PrivateBus, withSupplies: Bool = true) async throws {
        rig = try CommandedRig(
            "power",
            ["umockdev-wrapper", "/usr/bin/python3", RigTools.resource("power-rig.py")]
                + (withSupplies ? [] : ["--no-supplies"]), environment: bus.environment)
        root = try await rig.ask("root")
    }

    /// Starts upowerd; returns its process id.
    @discardableResult
    package func spawn() async throws -> Int32 { Int32(try await ask("spawn")) ?? 0 }

    /// Plugs in or out; returns the time right before that was announced, in nanoseconds on the boot-time clock.
    @discardableResult
    package func setAC(_ isOnline: Bool) async throws -> Int64 {
        Int64(try await ask("ac \(isOnline ? 1 : 0)")) ?? 0
    }

    /// The same in sysfs only: nobody is told.
    package func setACSilently(_ isOnline: Bool) async throws { try await ask("silently \(isOnline ? 1 : 0)") }

    /// Sets the battery's charge in percent.
    package func setLevel(_ percent: Int) async throws { try await ask("level \(percent)") }

    /// Adds another supply with these sysfs attributes.
    package func add(_ name: String, _ attributes: [String: String]) async throws {
        try await ask("add \(name) \(Self.words(attributes))")
    }

    /// Changes attributes of a supply: of `AC`, `BAT0`, or one that `add` made.
    package func set(_ name: String, _ attributes: [String: String]) async throws {
        try await ask("set \(name) \(Self.words(attributes))")
    }

    private static func words(_ attributes: [String: String]) -> String {
        attributes.sorted { $0.key < $1.key }.map { "\($0) \($1)" }.joined(separator: " ")
    }

    /// Takes all supplies away from sysfs.
    package func removeSupplies() async throws { try await ask("remove") }

    /// Kills upowerd with SIGKILL.
    package func kill() async throws { try await ask("kill") }

    /// Makes upowerd hang.
    package func hang() async throws { try await ask("stop") }

    /// Lets a hanging upowerd go on.
    package func resume() async throws { try await ask("cont") }

    /// Ends the daemon and the rig.
    package func end() async { await rig.end() }

    @discardableResult
    private func ask(_ command: String) async throws -> String { try await rig.ask(command) }
}
