// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A service that this machine has no hardware or sandbox for, pretended by python-dbusmock on a bus of ours.
package struct MockRig: Sendable {
    /// What can be pretended.
    package enum Service: String, Sendable {
        /// ModemManager, and a NetworkManager above it, on the system bus.
        case modem
        /// The network portal, on the session bus.
        case portal
    }

    /// Why it cannot run here; nil when it can.
    package static let unavailabilityReason: String? = {
        if let reason = RigTools.missing(["dbus-daemon", "/usr/bin/python3"]) { return reason }
        return CommandedRig.missingModules("import dbusmock, dbus", "Python's dbusmock")
    }()

    private let rig: CommandedRig

    /// Starts to pretend; returns once the service has its name.
    package init(_ service: Service, bus: PrivateBus) async throws {
        rig = try CommandedRig(
            "mock", ["/usr/bin/python3", RigTools.resource("mock-rig.py"), service.rawValue],
            environment: bus.environment.merging(bus.sessionEnvironment) { $1 })
        try await rig.ask("ready")
    }

    /// Adds a modem that drives the interface `name`, in a state of MMModem3gppRegistrationState.
    package func addModem(driving name: String, state: Int) async throws { try await rig.ask("add \(name) \(state)") }

    /// Changes the modem's state.
    package func setRegistration(_ state: Int) async throws { try await rig.ask("state \(state)") }

    /// Lets NetworkManager have a primary connection of a type of its own, such as `gsm`.
    package func setPrimaryConnection(type: String) async throws { try await rig.ask("link \(type)") }

    /// Takes the modem away.
    package func removeModem() async throws { try await rig.ask("remove") }

    /// Sets what the portal says, and has it announce a change.
    package func setStatus(isAvailable: Bool, isMetered: Bool, connectivity: Int) async throws {
        try await rig.ask("status \(isAvailable ? 1 : 0) \(isMetered ? 1 : 0) \(connectivity)")
    }

    /// Ends the service.
    package func end() async { await rig.end() }
}
