// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A system bus of our own: services and clients that get its `environment` meet there, and touch no other.
package actor PrivateBus {
    /// Why it cannot run here; nil when it can.
    package static let unavailabilityReason: String? = RigTools.missing(["dbus-daemon"])

    /// Where clients find it.
    package nonisolated let address: String
    /// What makes a process use it.
    package nonisolated var environment: [String: String] { ["DBUS_SYSTEM_BUS_ADDRESS": address] }

    /// What makes a process take it for the session bus.
    package nonisolated var sessionEnvironment: [String: String] { ["DBUS_SESSION_BUS_ADDRESS": address] }

    /// Where service files go that have the bus start a program.
    package nonisolated var serviceFolder: String { folder.path + "/services" }

    private let folder: URL
    private var daemon: (process: RigProcess, id: Int32)?

    /// The limits of a desktop's session bus; without them a bus of tests has those of the system's.
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

    /// The process id of the bus.
    package var processID: Int32 {
        get throws {
            guard let daemon else { throw RigError("the bus does not run") }
            return daemon.id
        }
    }

    /// Starts a bus.
    ///
    /// - Parameter hasSessionLimits: whether as much may wait in the bus as in a desktop's.
    package init(hasSessionLimits: Bool = false) async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("bus-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("services"), withIntermediateDirectories: true)
        address = "unix:path=\(folder.path)/socket"
        let template = try String(contentsOfFile: RigTools.resource("bus.conf.in"), encoding: .utf8)
        let text = template.replacingOccurrences(of: "@BUS_SOCKET@", with: "\(folder.path)/socket")
            .replacingOccurrences(of: "@SERVICE_DIR@", with: "\(folder.path)/services")
            .replacingOccurrences(
                of: "</busconfig>", with: (hasSessionLimits ? Self.sessionLimits : "") + "</busconfig>")
        try text.write(to: folder.appendingPathComponent("bus.conf"), atomically: true, encoding: .utf8)
        try await start()
    }

    /// Starts it again after `stop`.
    package func start() async throws {
        try? FileManager.default.removeItem(at: folder.appendingPathComponent("socket"))
        let daemon = try await RigProcess.service([
            "dbus-daemon", "--config-file=\(folder.path)/bus.conf", "--nofork", "--print-address=1",
        ])
        // The address is printed once it listens.
        _ = try await daemon.process.output.next { $0.hasPrefix("unix:") }
        self.daemon = daemon
    }

    /// Ends the daemon; its socket's file goes with it.
    package func stop() async {
        await daemon?.process.end()
        daemon = nil
    }

    /// Kills the daemon with SIGKILL; its socket's file stays, as after a crash.
    package func kill() async {
        guard let daemon else { return }
        Foundation.kill(daemon.id, SIGKILL)
        await daemon.process.end()
        self.daemon = nil
    }

    /// Makes the daemon hang, or lets it go on.
    package func setHanging(_ isHanging: Bool) {
        if let daemon { Foundation.kill(daemon.id, isHanging ? SIGSTOP : SIGCONT) }
    }

    /// Ends it for good and leaves nothing behind.
    package func end() async {
        await stop()
        try? FileManager.default.removeItem(at: folder)
    }
}
