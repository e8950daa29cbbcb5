// SPDX-License-Identifier: Apache-2.0
import Foundation
import ProcessFixtures

/// A private system bus. Services and clients that use its `environment` meet there and reach no other bus.
package actor PrivateBus {
    /// The reason this fixture cannot run here, or `nil` if it can.
    package static let unavailabilityReason: String? = FixtureTools.missing(["dbus-daemon"])

    /// The address for clients.
    package nonisolated let address: String
    /// The environment that makes a process use this bus as its system bus.
    package nonisolated var environment: [String: String] { ["DBUS_SYSTEM_BUS_ADDRESS": address] }

    /// The environment that makes a process use this bus as its session bus.
    package nonisolated var sessionEnvironment: [String: String] { ["DBUS_SESSION_BUS_ADDRESS": address] }

    /// The folder for D-Bus service files, which let the bus start programs.
    package nonisolated var serviceFolder: String { folder.path + "/services" }

    private let folder: URL
    private var daemon: (process: FixtureProcess, id: Int32)?

    /// The limits of a desktop's session bus. Without them, the bus has the limits of a system bus.
    private static let sessionLimits = """
        <limit name="max_incoming_bytes">1000000000</limit>
        <limit name="max_outgoing_bytes">1000000000</limit>
        <limit name="max_message_size">1000000000</limit>
        <limit name="max_completed_connections">100000</limit>
        <limit name="max_connections_per_user">100000</limit>
        <limit name="max_names_per_connection">50000</limit>
        <limit name="max_match_rules_per_connection">50000</limit>
        <limit name="max_replies_per_connection">50000</limit>
        """

    /// The process id of the bus daemon.
    ///
    /// - Throws: `FixtureError` if the bus is not running.
    package var processID: Int32 {
        get throws {
            guard let daemon else { throw FixtureError("the bus is not running") }
            return daemon.id
        }
    }

    /// Starts a bus.
    ///
    /// - Parameter hasSessionLimits: A Boolean value that indicates whether the bus has the higher limits of a
    ///   desktop's session bus.
    package init(hasSessionLimits: Bool = false) async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("bus-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("services"), withIntermediateDirectories: true)
        address = "unix:path=\(folder.path)/socket"
        let template = try String(contentsOfFile: FixtureTools.resource("bus.conf.in"), encoding: .utf8)
        let text = template.replacingOccurrences(of: "@BUS_SOCKET@", with: "\(folder.path)/socket")
            .replacingOccurrences(of: "@SERVICE_DIR@", with: "\(folder.path)/services")
            .replacingOccurrences(
                of: "</busconfig>", with: (hasSessionLimits ? Self.sessionLimits : "") + "</busconfig>")
        try text.write(to: folder.appendingPathComponent("bus.conf"), atomically: true, encoding: .utf8)
        try await start()
    }

    /// Starts the bus, for the first time or after `stop` or `kill`.
    package func start() async throws {
        try? FileManager.default.removeItem(at: folder.appendingPathComponent("socket"))
        let daemon = try await FixtureProcess.service([
            "dbus-daemon", "--config-file=\(folder.path)/bus.conf", "--nofork", "--print-address=1",
        ])
        // dbus-daemon prints the address as soon as it listens.
        _ = try await daemon.process.output.next { $0.hasPrefix("unix:") }
        self.daemon = daemon
    }

    /// Ends the bus daemon, which removes its socket file.
    package func stop() async {
        await daemon?.process.end()
        daemon = nil
    }

    /// Kills the bus daemon with SIGKILL. Its socket file remains, as after a crash.
    package func kill() async {
        guard let daemon else { return }
        Foundation.kill(daemon.id, SIGKILL)
        await daemon.process.end()
        self.daemon = nil
    }

    /// Makes the bus daemon hang, or resumes it.
    package func setHanging(_ isHanging: Bool) {
        if let daemon { Foundation.kill(daemon.id, isHanging ? SIGSTOP : SIGCONT) }
    }

    /// Ends the bus daemon for good and removes its folder.
    package func end() async {
        await stop()
        try? FileManager.default.removeItem(at: folder)
    }
}
