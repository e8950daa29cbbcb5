// SPDX-License-Identifier: Apache-2.0
package import Logging
internal import SessionLogic
package import TransferEngine
package import TransferModel

/// Carries out what a ``SessionMachine`` decides, over an engine: it takes events in, saves what they change, and performs
/// what follows. It decides nothing itself.
///
/// Its parts do the work: `SessionTurns` orders the calls, `SessionRows` saves, `TaskTransfers` gives tasks to the engine,
/// `SessionFiles` keeps and counts files, and `SessionTimers` wakes the machine.
///
/// Everything is saved before it is told, so that the program may end at any moment: a task is saved before it is submitted,
/// and found again by its transfer's key; its end is saved before the app hears of it, and stays until the app has dealt
/// with its last event.
package actor SessionHost {
    let engine: TransferEngine
    let rows: SessionRows
    let transfers: TaskTransfers
    let launcher: any ProgramLauncher
    let alarm: any Alarm
    let logger: Logger

    var machine: SessionMachine
    let turns = SessionTurns()
    let timers: SessionTimers
    var files: SessionFiles
    /// The ways to the processes that have sessions open.
    var clients: [SessionKey: SessionClient] = [:]
    /// Ends of transfers that nobody took down in the last run.
    var endedBefore: [(id: TransferID, end: TaskEnd)] = []
    /// Uploads whose files are being kept.
    var submissions: [SessionMachine.TaskKey: Task<Void, any Error>] = [:]

    /// An engine's sessions; nothing happens before ``load(keeping:)``.
    ///
    /// - Parameters:
    ///   - spool: keeps the files of uploads.
    ///   - filesPerApp: the most bytes that an app's downloads, finished ones that it has not taken included, and kept files
    ///     of uploads may have together.
    ///   - loss: what was lost of the queue before this start, which programs that open sessions are told.
    ///   - limits: how much an app may have the host keep.
    ///   - sleep: waits so long, time asleep included.
    package init(
        engine: TransferEngine, store: any SessionStore, place: any SessionPlace, spool: any SourceSpool,
        launcher: any ProgramLauncher, alarm: any Alarm, logger: Logger, loss: String? = nil,
        limits: SessionLimits = SessionLimits(), filesPerApp: Int64 = .max,
        sleep: @escaping @Sendable (Duration) async throws -> Void = {
            try await Task.sleep(for: $0, clock: .continuous)
        }
    ) {
        self.engine = engine
        self.launcher = launcher
        self.alarm = alarm
        self.logger = logger
        rows = SessionRows(store: store, sleep: sleep, logger: logger)
        transfers = TaskTransfers(engine: engine, store: store, place: place, logger: logger)
        timers = SessionTimers(sleep: sleep)
        files = SessionFiles(place: place, spool: spool, limit: filesPerApp)
        machine = SessionMachine(limits: limits, loss: loss)
    }

    var now: WallTime { alarm.now().wall }

    // MARK: Requests

    /// Carries a request out once it is saved. In the session's turn.
    ///
    /// - Throws: `SessionRefusal`, with nothing changed or, of an order that the engine could not take, with its row saved.
    private func carryOut(_ request: SessionRequest, in key: SessionKey) async throws {
        let admission = try machine.admit(request, in: key, at: now)
        try await rows.commit(machine.stored(admission.changes))
        try await perform(.accepted(admission))
    }

    /// Joins a process to a session, which is made where there is none, and tells what waited for it.
    ///
    /// - Throws: `SessionRefusal`.
    package func open(
        _ settings: SessionSettings, by client: SessionClient, registration: AppRegistration? = nil
    ) async throws -> SessionState {
        let key = try machine.key(of: settings, for: client.app)
        return try await turns.inTurn(of: key) {
            let former = clients[key]
            if machine.user(of: key)?.name ?? client.name == client.name { clients[key] = client }
            do {
                try await carryOut(.open(settings, client.user, registration), in: key)
            } catch {
                clients[key] = former
                throw error
            }
            return machine.state(of: key)
        }
    }

    /// Carries an order out in the session's turn.
    ///
    /// - Parameter source: the kept file of an upload that is submitted, or the reason why there is none.
    func perform(
        _ order: TaskOrder, in key: SessionKey, from client: String, source: Result<KeptSource, UnusableTask>? = nil
    ) async throws {
        try await turns.inTurn(of: key) { try await carryOut(.order(order, from: client, source), in: key) }
    }

    /// An app has dealt with an event: it is not told again. Safe to repeat.
    ///
    /// - Throws: `SessionRefusal` where the client does not use the session, or it could not be saved.
    package func acknowledge(_ number: EventNumber, in key: SessionKey, from client: String) async throws {
        try await turns.inTurn(of: key) { try await carryOut(.acknowledge(number, from: client), in: key) }
    }

    // MARK: What happens to apps

    /// Tells a process once more all that waits for it, since it may have missed some: what has a number it knows.
    package func tellAgain(_ client: String, in key: SessionKey) async { await handle(.missedEvents(key, by: client)) }

    /// A process has done with a session. Its numbers go on where it is opened again.
    package func close(_ key: SessionKey, by client: String) async { await leave(key, .closed(key, by: client)) }

    /// A process has gone.
    package func disconnected(_ client: String) async {
        for key in machine.keys(where: { $1?.name == client }) { await leave(key, .disconnected(key, by: client)) }
    }

    private func leave(_ key: SessionKey, _ event: SessionMachine.Event) async {
        await turns.inTurn(of: key) {
            await performForSure(event)
            if machine.user(of: key) == nil { clients[key] = nil }
        }
    }

    /// Takes back what an app had, as its person ended it for good: it is not started again until somebody else does.
    package func quit(_ app: String) async {
        for key in machine.keys(where: { key, _ in key.app == app }) { await handle(.quit(key)) }
    }

    /// Notes what an app says of itself: whether a person works with it.
    package func setInFront(_ isInFront: Bool, app: String) async { await handle(.saidInFront(app, isInFront)) }

    /// The desktop tells of its windows: all that it tells, by the names of apps. An app that is not among them is in
    /// front, or not, as it says itself.
    package func noteWindows(_ windows: [String: WindowFocus]) async { await handle(.windowsChanged(windows)) }
}
