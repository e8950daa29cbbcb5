// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxKernel
package import TransferSessions

/// Starts apps for their sessions by command, as independent programs that outlive this one.
package struct ProgramStarter: Sendable {
    /// Records the process that `start` creates as a process of the app, and returns its identifier.
    package typealias ProcessRecorder = @Sendable (_ app: String, _ start: () throws -> Int32) throws -> Int32

    private let record: ProcessRecorder
    private let forget: @Sendable (Int32) -> Void
    private let environment: @Sendable () -> [String: String]
    private let patience: Duration
    private let sleep: @Sendable (Duration) async throws -> Void

    /// Creates a starter.
    ///
    /// - Parameters:
    ///   - record: Records each process before any other code can see it.
    ///   - forget: Called after the end of each process.
    ///   - environment: Returns the environment from which the programs' environment is made.
    ///   - patience: The time after a start in which an end by a signal or with a nonzero status counts as a crash.
    ///   - sleep: Waits for a duration.
    package init(
        record: @escaping ProcessRecorder = { try $1() }, forget: @escaping @Sendable (Int32) -> Void = { _ in },
        environment: @escaping @Sendable () -> [String: String] = { ProcessInfo.processInfo.environment },
        patience: Duration = .seconds(2),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.record = record
        self.forget = forget
        self.environment = environment
        self.patience = patience
        self.sleep = sleep
    }

    /// The environment variable that tells a program the session for which it was started.
    package static let sessionVariable = "BACKGROUND_TRANSFER_SESSION"

    /// Starts the command of an app for a session, and waits for up to `patience` to detect a crash.
    package func start(_ command: [String], of app: String, for session: String) async -> LaunchOutcome {
        await start(command, of: app, environment: [Self.sessionVariable: session])
    }

    /// Starts a command with variables in addition to those of the environment, and waits for up to `patience` to detect
    /// a crash.
    package func start(
        _ command: [String], of app: String, environment variables: [String: String]
    ) async -> LaunchOutcome {
        guard let program = command.first else { return .missing("no program was specified") }
        let process: Int32
        do {
            process = try record(app) { try spawn(command, variables) }
        } catch {
            return .missing("cannot start '\(program)': \(error)")
        }
        let end = ProgramEnd(of: process, forget: forget)
        let limit = Task { [sleep, patience] in
            try? await sleep(patience)
            end.stopWaiting()
        }
        defer { limit.cancel() }
        switch await end.status() {
        case nil, .status(0)?: return .started(process: process)
        case .status(let number)?: return .crashed("'\(program)' ended immediately with status \(number)")
        case .signal(let number)?:
            return .crashed(
                "'\(program)' was ended immediately by signal \(number) (\(String(cString: strsignal(number))))")
        }
    }

    /// Collects a child process that an earlier program of this process started, when the child ends.
    package func adopt(_ process: Int32) { _ = ProgramEnd(of: process, forget: forget) }

    // MARK: Starting

    private func spawn(_ command: [String], _ variables: [String: String]) throws -> Int32 {
        let inherited = environment().filter { !Self.own.contains($0.key) }
        var child = ChildProgram(command[0], command, environment: inherited.merging(variables) { $1 })
        // This program's output may have readers, which must not see the app's output, and would wait for the app to
        // end.
        (child.output, child.errors, child.group) = (.null, .null, .ownSession)
        return try child.start()
    }

    /// The variables of a service's environment that are meant only for the service (sd_notify(3), sd_listen_fds(3),
    /// D-Bus Specification).
    private static let own: Set = [
        "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "INVOCATION_ID",
        "JOURNAL_STREAM", "MAINPID", "SYSTEMD_EXEC_PID", "DBUS_STARTER_ADDRESS", "DBUS_STARTER_BUS_TYPE",
    ]
}

/// The Flatpaks that are installed on this machine.
package enum InstalledFlatpak {
    /// The paths of the program `flatpak`. They do not depend on the environment.
    private static let programs = ["/usr/bin/flatpak", "/usr/local/bin/flatpak", "/bin/flatpak"]

    /// The folders with a launcher for each installed Flatpak: those of the user, and those of all users.
    private static var launcherFolders: [String] {
        let environment = ProcessInfo.processInfo.environment
        let own = environment["XDG_DATA_HOME"] ?? environment["HOME"].map { $0 + "/.local/share" }
        return [own, "/var/lib"].compactMap { $0 }.map { $0 + "/flatpak/exports/bin" }
    }

    /// Returns the command that starts a Flatpak, or `nil` if no Flatpak with the ID is installed.
    ///
    /// - Parameters:
    ///   - app: The ID of the Flatpak, such as `org.example.App`.
    ///   - folders: The folders with launchers. `nil` means the standard folders.
    ///   - programs: The possible paths of the program `flatpak`. `nil` means the standard paths.
    package static func command(
        starting app: String, folders: [String]? = nil, programs: [String]? = nil
    ) -> [String]? {
        guard app.contains("."), !app.contains("/"), !app.hasPrefix("."), !app.hasPrefix("-"),
            (folders ?? launcherFolders).contains(where: { access("\($0)/\(app)", F_OK) == 0 }),
            let program = (programs ?? Self.programs).first(where: { access($0, X_OK) == 0 })
        else { return nil }
        return [program, "run", app]
    }
}
