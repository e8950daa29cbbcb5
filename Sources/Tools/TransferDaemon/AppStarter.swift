// SPDX-License-Identifier: Apache-2.0
import ProgramStarter
import Synchronization
import TransferBusServer
import TransferModel
import TransferSessions

/// Starts apps so that they can handle the events of their sessions.
///
/// An app with a bus name is started by the bus. An app with a command is started as a systemd service, or as a child
/// process if systemd does not run for the user.
final class AppStarter: ProgramLauncher {
    /// The number of failed starts of an app, by kind of failure.
    struct Failures: Hashable, Sendable {
        var missing = 0
        var crashed = 0
        var silent = 0
    }

    private let bus: BusPrograms
    private let commands: ProgramStarter
    private let failures = Mutex<[String: Failures]>([:])

    /// Creates a starter that uses `bus`, and child processes if no systemd runs for the user.
    init(bus: BusPrograms) {
        self.bus = bus
        let launched = bus.launched
        commands = ProgramStarter(
            record: { app, start in try launched.add(app, start) },
            forget: { launched.remove($0) })
    }

    /// Takes over the programs and other children that an earlier program of this process started.
    func adopt(_ programs: LaunchedPrograms.Contents, others: [Int32]) {
        bus.launched.add(programs)
        for process in programs.apps.keys.sorted() + others { commands.adopt(process) }
    }

    /// Returns the number of failed starts of an app since the daemon started.
    func failures(of app: String) -> Failures { failures.withLock { $0[app] ?? Failures() } }

    func launch(_ registration: AppRegistration, of app: String, for session: String) async -> LaunchOutcome {
        let outcome = await outcome(of: registration, app, session)
        failures.withLock { failures in
            switch outcome {
            case .started: break
            case .missing: failures[app, default: Failures()].missing += 1
            case .crashed: failures[app, default: Failures()].crashed += 1
            case .silent: failures[app, default: Failures()].silent += 1
            }
        }
        return outcome
    }

    /// The name under which programs of `--on-complete` run. They are apps with no rights of the user.
    private static let completionApp = "on-complete"

    /// Starts a program of the user after a transfer, as apps are started.
    ///
    /// - Returns: An error message if the program could not be started or ended at once with an error.
    func start(_ words: [String], environment: [String: String]) async -> String? {
        let unit = await bus.startUnit(words, of: Self.completionApp, environment: environment)
        let outcome: LaunchOutcome
        if let unit {
            outcome = unit
        } else {
            outcome = await commands.start(words, of: Self.completionApp, environment: environment)
        }
        return switch outcome {
        case .started: nil
        case .missing(let why), .crashed(let why), .silent(let why): why
        }
    }

    private func outcome(
        of registration: AppRegistration, _ app: String, _ session: String
    ) async -> LaunchOutcome {
        switch registration {
        case .command(let words):
            // A child is the last resort, because a child inherits the limits and the environment of the daemon.
            let started = await bus.startUnit(
                words, of: app, environment: [ProgramStarter.sessionVariable: session])
            if let started { return started }
            return await commands.start(words, of: app, for: session)
        case .busName(let name):
            let outcome = await bus.launch(busName: name, for: session)
            // A Flatpak that the bus can start need not handle the daemon's call. It then starts as all other Flatpaks.
            guard case .missing = outcome, name == app, let command = InstalledFlatpak.command(starting: app) else {
                return outcome
            }
            return await self.outcome(of: .command(command), app, session)
        }
    }
}
