// SPDX-License-Identifier: Apache-2.0

/// A real power-profiles-daemon on a private bus, with a platform profile that umockdev fakes.
package struct ProfileFixture: Sendable {
    /// The reason this fixture cannot run here, or `nil` if it can.
    package static let unavailabilityReason: String? = {
        if let reason = PowerFixture.unavailabilityReason { return reason }
        return FixtureTools.missing(["/usr/libexec/power-profiles-daemon", "/usr/lib/polkit-1/polkitd"])
    }()

    private let fixture: CommandedFixture

    /// Prepares the fixture. Nothing runs before `spawn`.
    package init(bus: PrivateBus) throws {
        fixture = try CommandedFixture(
            "profile", ["umockdev-wrapper", "/usr/bin/python3", FixtureTools.resource("profile-fixture.py")],
            environment: bus.environment)
    }

    /// Starts the daemon in the balanced profile, or in the profile active before it ended.
    package func spawn() async throws { try await fixture.perform("spawn") }

    /// Activates a profile.
    package func set(_ profile: String) async throws { try await fixture.perform("set \(profile)") }

    /// Kills the daemon with SIGKILL.
    package func kill() async throws { try await fixture.perform("kill") }

    /// Ends the daemon and the fixture.
    package func end() async { await fixture.end() }
}

/// A stand-in for a service with one property.
package struct PropertyService: Sendable {
    private let fixture: CommandedFixture

    /// Starts the service on a bus.
    ///
    /// - Parameter type: The D-Bus type of the property: `s` or `b`.
    package init(
        bus: PrivateBus, name: String, path: String, interface: String, property: String, type: String, value: String
    ) async throws {
        fixture = try CommandedFixture(
            name,
            [
                "/usr/bin/python3", FixtureTools.resource("property-service.py"), bus.address, name, path, interface,
                property, type, value,
            ])
        try await fixture.reply()
    }

    /// Changes the property's value.
    package func set(_ value: String) async throws { try await fixture.perform("set \(value)") }

    /// Ends the service.
    package func end() async { await fixture.end() }
}
