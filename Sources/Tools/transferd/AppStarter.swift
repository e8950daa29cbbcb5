// SPDX-License-Identifier: Apache-2.0
import ProgramStarter
import Synchronization
import TransferBusServer
import TransferModel
import TransferSessions

/// Starts apps for their sessions: by the bus those that have a name on it, the others by
/// their commands, as services of systemd's where it runs for this person.
final class AppStarter: ProgramLauncher {
    /// How often it came to nothing.
    struct Failures: Hashable, Sendable {
        var missing = 0
        var crashed = 0
        var silent = 0
    }

    private let bus: BusPrograms
    private let commands: ProgramStarter
    private let failures = Mutex<[String: Failures]>([:])

    /// Starts programs over `bus`, and as children where that cannot be.
    init(bus: BusPrograms) {
        self.bus = bus
        let launched = bus.launched
        commands = ProgramStarter(
            note: { app, start in try launched.add(app, start) },
            forget: { launched.remove($0) })
    }

    /// How often an app could not be started since this program began.
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

    private func outcome(
        of registration: AppRegistration, _ app: String, _ session: String
    ) async -> LaunchOutcome {
        switch registration {
        case .command(let words):
            // As a child only where there is no systemd: a child has the daemon's limits and environment.
            let started = await bus.startUnit(
                words, of: app, environment: [ProgramStarter.sessionVariable: session])
            if let started { return started }
            return await commands.start(words, of: app, for: session)
        case .busName(let name): return await bus.launch(busName: name, for: session)
        }
    }
}
