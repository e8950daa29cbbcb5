// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A mock, made with python-dbusmock on a private bus, of a service whose hardware or sandbox this machine lacks.
package struct MockRig: Sendable {
    /// The services that can be mocked.
    package enum Service: String, Sendable {
        /// ModemManager on the system bus, together with NetworkManager.
        case modem
        /// The network portal, on the session bus.
        case portal
    }

    /// The reason this fixture cannot run here, or `nil` if it can.
    package static let unavailabilityReason: String? = {
        if let reason = RigTools.missing(["dbus-daemon", "/usr/bin/python3"]) { return reason }
        return CommandedRig.missingModules("import dbusmock, dbus", "Python's dbusmock")
    }()

    private let rig: CommandedRig

    /// Starts the mock, and returns after the service has claimed its bus name.
    package init(_ service: Service, bus: PrivateBus) async throws {
        rig = try CommandedRig(
            "mock", ["/usr/bin/python3", RigTools.resource("mock-rig.py"), service.rawValue],
            environment: bus.environment.merging(bus.sessionEnvironment) { $1 })
        try await rig.ask("ready")
    }

    /// Adds a modem that drives the interface `name`. `state` is a value of `MMModem3gppRegistrationState`.
    package func addModem(driving name: String, state: Int) async throws { try await rig.ask("add \(name) \(state)") }

    /// Changes the modem's registration state.
    package func setRegistration(_ state: Int) async throws { try await rig.ask("state \(state)") }

    /// Gives NetworkManager a primary connection of its own type, such as `gsm`.
    package func setPrimaryConnection(type: String) async throws { try await rig.ask("link \(type)") }

    /// Removes the modem.
    package func removeModem() async throws { try await rig.ask("remove") }

    /// Sets the portal's network status and announces the change.
    package func setStatus(isAvailable: Bool, isMetered: Bool, connectivity: Int) async throws {
        try await rig.ask("status \(isAvailable ? 1 : 0) \(isMetered ? 1 : 0) \(connectivity)")
    }

    /// Ends the mock.
    package func end() async { await rig.end() }
}
