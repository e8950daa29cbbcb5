// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Synchronization
import TransferBusClient
import TransferBusProtocol
public import TransferTesting

/// The rules of sessions on a daemon of its own: a real `transferd`, on a bus of its own, with folders of its own.
///
/// Whatever daemon runs for the person is not touched. It needs `dbus-daemon`, found along the path, and `transferctl` beside
/// the daemon. Each process of an app is a connection of its own. S6 is out of reach: the daemon looks at the machine's own
/// power supply.
public final class DaemonHarness: SessionHarness {
    private let bus: DaemonBus
    private let client = BusClient()
    private let processes = Mutex<[SessionProcess]>([])
    /// Where apps that are started write for which session.
    private let startsFile: String
    /// Beside the daemon: to end apps for good is the person's, and the person's program is known by its name.
    private let control: String

    /// A daemon that the bus starts when it is called first.
    ///
    /// - Parameter daemon: the absolute path of `transferd`; nil: the one that is installed, see ``installedDaemon()``.
    /// - Throws: `ContractFailure` that says what is missing.
    public init(daemon: String? = nil) async throws {
        guard let daemon = daemon ?? Self.installedDaemon() else {
            throw ContractFailure(
                "no daemon is installed: 'transferctl service install' does that, or name a built transferd")
        }
        control = URL(fileURLWithPath: daemon).deletingLastPathComponent().path + "/transferctl"
        for program in [daemon, control] where !FileManager.default.isExecutableFile(atPath: program) {
            throw ContractFailure("'\(program)' is no program")
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

    /// The daemon that the person's bus starts: what the service files in the data folders name (XDG Base Directory
    /// Specification). Nil where there is none.
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

    /// A connection to the bus. The app of the rules is this program; any other takes its name there.
    public func join(as app: String) async throws -> SessionProcess {
        // Words that are program, script, name of the script and file, whatever characters are in the file's path.
        let command = ["/bin/sh", "-c", #"echo "$BACKGROUND_TRANSFER_SESSION" >> "$1""#, "sh", startsFile]
        let process = try SessionProcess(
            busAddress: bus.address, name: app == SessionConformance.app ? nil : app, relaunchCommand: command)
        processes.withLock { $0.append(process) }
        return process
    }

    /// Kills the daemon, and has the bus start it again.
    public func restart() async throws {
        guard let process = try await client.daemonProcess() else { throw ContractFailure("no daemon runs") }
        kill(pid_t(process), SIGKILL)
        try await DaemonBus.until("the daemon's end") { kill(pid_t(process), 0) != 0 }
        try await DaemonBus.until("the bus to notice") { try await self.client.daemonProcess() != process }
        // The bus starts it when it is called.
        _ = try await rows("Apps")
    }

    /// What the apps that were started wrote.
    public func starts(of app: String) async throws -> [String] {
        guard FileManager.default.fileExists(atPath: startsFile) else { return [] }
        return try String(contentsOfFile: startsFile, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    /// As `transferctl limiter` shows it; of this program's app.
    public func delay(of app: String) async throws -> Duration {
        .seconds(try await rows("Limiters").first?["delay"]?.integer ?? 0)
    }

    /// By `transferctl apps quit`, of this program's app.
    public func quit(_ app: String) async throws {
        let name = try await rows("Apps").first?["app"]?.string
        try await bus.run([control, "apps", "quit", name ?? app])
    }

    /// What the daemon lists for this program: its own app alone, by the name that the daemon has for it.
    private func rows(_ method: String) async throws -> [[String: VariantValue]] {
        (try await client.call(method).first?.items ?? []).compactMap(\.dictionary)
    }

    /// Not possible: see ``isOutOfReach(_:)``.
    public func setMachine(isOnMains: Bool) async throws {
        throw ContractFailure("the power supply of a machine cannot be changed")
    }

    /// S6.
    public func isOutOfReach(_ rule: SessionRule) -> String? {
        rule == .s6 ? "its power supply is the machine's own, which no test can change" : nil
    }

    /// Ends daemon and bus, and removes their folder.
    public func close() async {
        // One that stayed would have the bus start another daemon.
        for process in processes.withLock({ $0 }) { await process.leave() }
        if let process = try? await client.daemonProcess() {
            kill(pid_t(process), SIGTERM)
            // One that does not end in order is killed: it is nobody else's.
            do { try await DaemonBus.until("the daemon's end") { kill(pid_t(process), 0) != 0 } } catch {
                kill(pid_t(process), SIGKILL)
            }
        }
        await client.close()
        await bus.end()
    }
}
