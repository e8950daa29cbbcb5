// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Synchronization
import TransferBusClient
import TransferBusProtocol
import TransferTesting

/// A harness with a real `transferd`, on a private bus and with private folders.
///
/// The user's own daemon is not affected. The harness requires `dbus-daemon` in `PATH` and `transferctl` beside the
/// daemon. Each process of an app has a separate connection.
///
/// Rule S6 cannot be checked, because the daemon reads the machine's own power supply.
///
/// ```swift
/// try await SessionConformance { try await DaemonHarness() }.run(rule)
/// ```
public final class DaemonHarness: SessionHarness {
    private let bus: DaemonBus
    private let client = BusClient()
    private let processes = Mutex<[SessionProcess]>([])
    /// The file to which started apps write the identifiers of their sessions.
    private let startsFile: String
    /// The path of `transferctl`, beside the daemon. Only the user may quit an app, and the daemon recognizes the
    /// user's program by its name.
    private let control: String

    /// Creates a harness. The bus starts the daemon at its first call.
    ///
    /// - Parameter daemon: The absolute path of `transferd`. `nil` means the installed daemon, see
    ///   ``installedDaemon()``.
    /// - Throws: `ContractFailure` that names the missing program.
    public init(daemon: String? = nil) async throws {
        guard let daemon = daemon ?? Self.installedDaemon() else {
            throw ContractFailure(
                "no installed daemon; run 'transferctl service install', or pass the path of a transferd")
        }
        control = URL(fileURLWithPath: daemon).deletingLastPathComponent().path + "/transferctl"
        for program in [daemon, control] where !FileManager.default.isExecutableFile(atPath: program) {
            throw ContractFailure("not an executable program: '\(program)'")
        }
        bus = try await DaemonBus(daemon: daemon)
        startsFile = bus.folder + "/starts"
        do {
            try await client.connect(address: bus.address)
        } catch {
            await bus.end()
            throw error
        }
    }

    /// Returns the daemon that the user's bus starts, or `nil` if there is none.
    ///
    /// The service files in the data folders name the daemon (XDG Base Directory Specification).
    public static func installedDaemon() -> String? {
        let environment = ProcessInfo.processInfo.environment
        let own = environment["XDG_DATA_HOME"] ?? environment["HOME"].map { $0 + "/.local/share" }
        let shared = (environment["XDG_DATA_DIRS"] ?? "/usr/local/share:/usr/share").split(separator: ":")
        for folder in [own].compactMap({ $0 }) + shared.map(String.init) {
            let path = "\(folder)/dbus-1/services/\(TransferBusName.service).service"
            guard let text = try? String(contentsOfFile: path, encoding: .utf8),
                let line = text.split(separator: "\n").first(where: { $0.hasPrefix("Exec=") })
            else { continue }
            return String(line.dropFirst("Exec=".count)).trimmingCharacters(in: .whitespaces)
        }
        return nil
    }

    /// Opens a connection to the bus. The app of the rules is this program; any other app acquires its name on the
    /// bus.
    public func join(as app: String) async throws -> SessionProcess {
        // The words are program, option, script, name of the script, and file. The file's path may contain any
        // character.
        let command = ["/bin/sh", "-c", #"echo "$BACKGROUND_TRANSFER_SESSION" >> "$1""#, "sh", startsFile]
        let process = try SessionProcess(
            busAddress: bus.address, name: app == SessionConformance.app ? nil : app, relaunchCommand: command)
        processes.withLock { $0.append(process) }
        return process
    }

    /// Kills the daemon and makes the bus start it again.
    public func restart() async throws {
        guard let process = try await client.daemonProcess() else { throw ContractFailure("the daemon is not running") }
        kill(pid_t(process), SIGKILL)
        try await DaemonBus.until("the daemon's end") { kill(pid_t(process), 0) != 0 }
        try await DaemonBus.until("the bus to notice") { try await self.client.daemonProcess() != process }
        // A call makes the bus start the daemon.
        _ = try await rows("Apps")
    }

    /// Returns the identifiers that the started apps wrote.
    public func starts(of app: String) async throws -> [String] {
        guard FileManager.default.fileExists(atPath: startsFile) else { return [] }
        return try String(contentsOfFile: startsFile, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    /// Returns the delay that `transferctl apps` shows for this program's app.
    public func delay(of app: String) async throws -> Duration {
        .seconds(try await rows("Limiters").first?["delay"]?.integer ?? 0)
    }

    /// Runs `transferctl apps quit` for this program's app.
    public func quit(_ app: String) async throws {
        let name = try await rows("Apps").first?["app"]?.string
        try await bus.run([control, "apps", "quit", name ?? app])
    }

    /// Runs `transferctl now --all`.
    public func startAllNow() async throws { try await bus.run([control, "now", "--all"]) }

    /// Returns the daemon's list for this program. It contains this program's own app only, under the daemon's name
    /// for it.
    private func rows(_ method: String) async throws -> [[String: VariantValue]] {
        (try await client.call(method).first?.items ?? []).compactMap(\.dictionary)
    }

    /// Throws: the power supply cannot be changed. See ``reasonNotCheckable(_:)``.
    public func setMachine(isOnACPower: Bool) async throws {
        throw ContractFailure("the machine's power supply cannot be changed")
    }

    /// Returns a reason for rule S6, and `nil` for all other rules.
    public func reasonNotCheckable(_ rule: SessionRule) -> String? {
        rule == .s6 ? "the daemon reads the machine's own power supply, which no test can change" : nil
    }

    /// Stops the daemon and the bus, and removes their folder.
    public func close() async {
        // A process that stayed connected would make the bus start another daemon.
        for process in processes.withLock({ $0 }) { await process.leave() }
        if let process = try? await client.daemonProcess() {
            kill(pid_t(process), SIGTERM)
            // A daemon that does not stop in time is killed. It belongs to this harness alone.
            do { try await DaemonBus.until("the daemon's end") { kill(pid_t(process), 0) != 0 } } catch {
                kill(pid_t(process), SIGKILL)
            }
        }
        await client.close()
        await bus.end()
    }
}
