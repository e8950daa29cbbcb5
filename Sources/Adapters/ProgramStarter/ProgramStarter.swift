// SPDX-License-Identifier: Apache-2.0
import CProcess
import Foundation
package import TransferSessions

/// Starts apps for their sessions by their commands, as programs of their own that outlive this one.
package struct ProgramStarter: Sendable {
    /// Takes down the process that its argument starts, as that app's.
    package typealias Noting = @Sendable (_ app: String, _ start: () throws -> Int32) throws -> Int32

    private let note: Noting
    private let forget: @Sendable (Int32) -> Void
    private let environment: @Sendable () -> [String: String]
    private let patience: Duration
    private let sleep: @Sendable (Duration) async throws -> Void

    /// A starter.
    ///
    /// - Parameters:
    ///   - note: told of each process before anybody can meet it.
    ///   - forget: told when such a process has ended.
    ///   - environment: what the programs' environment is made from.
    ///   - patience: a program that ends by a signal, or with another status than 0, before that has crashed.
    ///   - sleep: waits so long.
    package init(
        note: @escaping Noting = { try $1() }, forget: @escaping @Sendable (Int32) -> Void = { _ in },
        environment: @escaping @Sendable () -> [String: String] = { ProcessInfo.processInfo.environment },
        patience: Duration = .seconds(2),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.note = note
        self.forget = forget
        self.environment = environment
        self.patience = patience
        self.sleep = sleep
    }

    /// The variable by which a program knows which session it was started for.
    package static let sessionVariable = "BACKGROUND_TRANSFER_SESSION"

    /// Starts a command, and looks on for a moment.
    package func start(_ command: [String], of app: String, for session: String) async -> LaunchOutcome {
        guard let program = command.first else { return .missing("no program was named") }
        let process: Int32
        do {
            process = try note(app) { try spawn(command, for: session) }
        } catch {
            return .missing("'\(program)' cannot be started: \(error)")
        }
        let end = ProgramEnd(of: process, forget: forget)
        let limit = Task { [sleep, patience] in
            try? await sleep(patience)
            end.stopWaiting()
        }
        defer { limit.cancel() }
        switch await end.status() {
        case nil, .status(0)?: return .started(process: process)
        case .status(let number)?: return .crashed("'\(program)' ended with status \(number) at once")
        case .signal(let number)?:
            return .crashed(
                "'\(program)' was ended by signal \(number) (\(String(cString: strsignal(number)))) at once")
        }
    }

    // MARK: Starting

    private func spawn(_ command: [String], for session: String) throws -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        // What this program writes to may be read by its name; and a reader would wait for the other's end.
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        transfer_close_from(&actions, STDERR_FILENO + 1)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) | transfer_own_session_flag())
        var arguments = command.map { strdup($0) } + [nil]
        var environment = variables(for: session).map { strdup($0) } + [nil]
        defer { for pointer in arguments + environment { free(pointer) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, command[0], &actions, &attributes, &arguments, &environment)
        guard code == 0 else { throw SpawnError(code: code) }
        return process
    }

    /// What of a service's environment is meant for itself (sd_notify(3), sd_listen_fds(3), D-Bus Specification).
    private static let own: Set = [
        "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "INVOCATION_ID",
        "JOURNAL_STREAM", "MAINPID", "SYSTEMD_EXEC_PID", "DBUS_STARTER_ADDRESS", "DBUS_STARTER_BUS_TYPE",
    ]

    private func variables(for session: String) -> [String] {
        var values = environment().filter { !Self.own.contains($0.key) }
        values[Self.sessionVariable] = session
        return values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    }
}

/// Why a program does not run.
private struct SpawnError: Error, CustomStringConvertible {
    let code: Int32

    var description: String { String(cString: strerror(code)) }
}
