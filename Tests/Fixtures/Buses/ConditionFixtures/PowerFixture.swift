// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A real upowerd on a private bus, with a battery and an AC adapter that umockdev fakes.
///
/// At first, the AC adapter is online and the battery charges at 80 %. `spawn` starts the daemon.
package struct PowerFixture: Sendable {
    /// The reason this fixture cannot run here, or `nil` if it can.
    package static let unavailabilityReason: String? = {
        if let reason = FixtureTools.missing([
            "dbus-daemon", "umockdev-wrapper", "/usr/bin/python3", "/usr/libexec/upowerd",
        ]) {
            return reason
        }
        return CommandedFixture.missingModules(
            "import gi; gi.require_version('UMockdev', '1.0'); from gi.repository import UMockdev",
            "Python's gi with UMockdev")
    }()

    /// The umockdev root folder. Its subfolder `sys` is the faked sysfs.
    package let root: String
    /// The path of the faked sysfs.
    package var sysfsRoot: String { "\(root)/sys" }
    /// The environment that lets a process receive the faked kernel's events.
    package var kernelEnvironment: [String: String] {
        ["LD_PRELOAD": "libumockdev-preload.so.0", "UMOCKDEV_DIR": root]
    }

    private let fixture: CommandedFixture

    /// Fakes the power supplies, or a machine without any.
    package init(bus: PrivateBus, withSupplies: Bool = true) async throws {
        try await self.init(within: [], withSupplies: withSupplies, environment: bus.environment)
    }

    /// Fakes the power supplies for a system that a command enters.
    init(within entry: [String], withSupplies: Bool = true, environment: [String: String] = [:]) async throws {
        fixture = try CommandedFixture(
            "power",
            entry + ["umockdev-wrapper", "/usr/bin/python3", FixtureTools.resource("power-fixture.py")]
                + (withSupplies ? [] : ["--no-supplies"]), environment: environment)
        root = try await fixture.perform("root")
    }

    /// Starts upowerd and returns its process id.
    @discardableResult
    package func spawn() async throws -> Int32 { Int32(try await perform("spawn")) ?? 0 }

    /// Connects or disconnects the AC adapter.
    ///
    /// - Returns: The time just before the announcement, in nanoseconds on the boot-time clock.
    @discardableResult
    package func setAC(_ isOnline: Bool) async throws -> Int64 {
        Int64(try await perform("ac \(isOnline ? 1 : 0)")) ?? 0
    }

    /// Connects or disconnects the AC adapter in sysfs only, without an event.
    package func setACSilently(_ isOnline: Bool) async throws { try await perform("silently \(isOnline ? 1 : 0)") }

    /// Sets the battery's charge in percent.
    package func setLevel(_ percent: Int) async throws { try await perform("level \(percent)") }

    /// Changes attributes of a power supply, `AC` or `BAT0`.
    package func set(_ name: String, _ attributes: [String: String]) async throws {
        let words = attributes.sorted { $0.key < $1.key }.map { "\($0) \($1)" }.joined(separator: " ")
        try await perform("set \(name) \(words)")
    }

    /// Kills upowerd with SIGKILL.
    package func kill() async throws { try await perform("kill") }

    /// Makes upowerd hang.
    package func hang() async throws { try await perform("stop") }

    /// Resumes a hanging upowerd.
    package func resume() async throws { try await perform("cont") }

    /// Ends upowerd and the fixture.
    package func end() async { await fixture.end() }

    @discardableResult
    private func perform(_ command: String) async throws -> String { try await fixture.perform(command) }
}
