// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A mock, made with python-dbusmock on a private bus, of a service whose hardware or sandbox this machine lacks.
package struct MockFixture: Sendable {
    /// The services that can be mocked.
    package enum Service: String, Sendable {
        /// ModemManager on the system bus, together with NetworkManager.
        case modem
        /// The network portal, on the session bus.
        case portal
    }

    /// The reason this fixture cannot run here, or `nil` if it can.
    package static let unavailabilityReason: String? = {
        if let reason = FixtureTools.missing(["dbus-daemon", "/usr/bin/python3"]) { return reason }
        return CommandedFixture.missingModules("import dbusmock, dbus", "Python's dbusmock")
    }()

    private let fixture: CommandedFixture

    /// Starts the mock, and returns after the service has claimed its bus name.
    package init(_ service: Service, bus: PrivateBus) async throws {
        fixture = try CommandedFixture(
            "mock", ["/usr/bin/python3", FixtureTools.resource("mock-fixture.py"), service.rawValue],
            environment: bus.environment.merging(bus.sessionEnvironment) { $1 })
        try await fixture.perform("ready")
    }

    /// Adds a modem that drives the interface `name`. `state` is a value of `MMModem3gppRegistrationState`.
    package func addModem(driving name: String, state: Int) async throws {
        try await fixture.perform("add \(name) \(state)")
    }

    /// Changes the modem's registration state.
    package func setRegistration(_ state: Int) async throws { try await fixture.perform("state \(state)") }

    /// Gives NetworkManager a primary connection of its own type, such as `gsm`.
    package func setPrimaryConnection(type: String) async throws { try await fixture.perform("link \(type)") }

    /// Removes the modem.
    package func removeModem() async throws { try await fixture.perform("remove") }

    /// Sets the portal's network status and announces the change.
    package func setStatus(isAvailable: Bool, isMetered: Bool, connectivity: Int) async throws {
        try await fixture.perform("status \(isAvailable ? 1 : 0) \(isMetered ? 1 : 0) \(connectivity)")
    }

    /// Ends the mock.
    package func end() async { await fixture.end() }
}
