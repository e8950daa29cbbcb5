// SPDX-License-Identifier: Apache-2.0
package import Logging
package import SessionLogic
package import TransferEngine
package import TransferModel

/// Runs background sessions on top of an engine, as a `SessionMachine` decides.
///
/// The host applies events to the machine, saves the changes and performs the effects. The host makes no decisions
/// itself.
///
/// The host consists of several parts. `SessionTurns` orders the calls, and `SessionRows` saves changes.
/// `TaskTransfers` submits tasks to the engine. `SessionFiles` keeps and counts files, and `SessionTimers` wakes the
/// machine.
///
/// Every change is saved before it is reported, so the program may end at any moment. A task is saved before its
/// submission, and the key of its transfer identifies it later. The end of a task is saved before the app receives
/// it. The saved end stays until the app has acknowledged the task's last event.
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
    /// The clients that have sessions open, by session.
    var clients: [SessionKey: SessionClient] = [:]
    /// The ends of transfers that the last run did not record.
    var unreportedEnds: [(id: TransferID, end: TaskEnd)] = []
    /// The submissions of uploads whose files are being kept.
    var submissions: [SessionMachine.TaskKey: Task<Void, any Error>] = [:]

    /// Creates a host for an engine's sessions. The host does nothing before ``load(keeping:)``.
    ///
    /// - Parameters:
    ///   - spool: The storage for the files of uploads.
    ///   - filesPerApp: The maximum number of bytes for an app's downloads and kept upload files together. Finished
    ///     downloads that the app has not claimed count.
    ///   - loss: The part of the queue that was lost before this start, reported to programs that open sessions.
    ///   - limits: The limits on the data that the host keeps for an app.
    ///   - sleep: A function that waits for a duration, including time asleep.
    package init(
        engine: TransferEngine, store: any SessionStore, resolver: any RequestResolver, spool: any SourceSpool,
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
        transfers = TaskTransfers(engine: engine, store: store, resolver: resolver, logger: logger)
        timers = SessionTimers(sleep: sleep)
        files = SessionFiles(resolver: resolver, spool: spool, limit: filesPerApp)
        machine = SessionMachine(limits: limits, loss: loss)
    }

    var now: WallTime { alarm.now().wall }

    // MARK: Requests

    /// Saves a request and then performs it. Runs in the session's turn.
    ///
    /// - Throws: `SessionRefusal`. Nothing has changed then, except that an order which the engine refused has a
    ///   saved row.
    private func carryOut(_ request: SessionRequest, in key: SessionKey) async throws {
        let admission = try machine.admit(request, in: key, at: now)
        try await rows.commit(machine.stored(admission.changes))
        try await perform(.accepted(admission))
    }

    /// Connects a process to a session, creating the session if necessary, and sends the pending events.
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
            var state = machine.state(of: key)
            // A sandboxed program does not reach this folder.
            if !client.isSandboxed {
                state.namedFilesFolder = transfers.resolver.namedFilesFolder(of: key, by: settings)
            }
            return state
        }
    }

    /// Performs an order in the session's turn.
    ///
    /// - Parameter source: The kept file of a submitted upload, or the reason why there is none.
    func perform(
        _ order: TaskOrder, in key: SessionKey, from client: String, source: Result<KeptSource, UnusableTask>? = nil
    ) async throws {
        try await turns.inTurn(of: key) { try await carryOut(.order(order, from: client, source), in: key) }
    }

    /// Records that an app has handled an event, which is not sent again. Safe to repeat.
    ///
    /// - Throws: `SessionRefusal` if the client does not use the session, or if the change could not be saved.
    package func acknowledge(_ number: EventNumber, in key: SessionKey, from client: String) async throws {
        try await turns.inTurn(of: key) { try await carryOut(.acknowledge(number, from: client), in: key) }
    }

    // MARK: App state

    /// Sends all pending events to a process again, because it may have missed some. The process recognizes repeated
    /// events by their numbers.
    package func resendEvents(_ client: String, in key: SessionKey) async {
        await handle(.missedEvents(key, by: client))
    }

    /// Closes a session for a process. The session's numbers continue if the session is opened again.
    package func close(_ key: SessionKey, by client: String) async { await leave(key, .closed(key, by: client)) }

    /// Disconnects a process from all its sessions.
    package func disconnected(_ client: String) async {
        for key in machine.keys(where: { $1?.name == client }) { await leave(key, .disconnected(key, by: client)) }
    }

    private func leave(_ key: SessionKey, _ event: SessionMachine.Event) async {
        await turns.inTurn(of: key) {
            await performLoggingErrors(event)
            if machine.user(of: key) == nil { clients[key] = nil }
        }
    }

    /// Ends an app's sessions after the user has force-quit the app. The host does not launch the app again until the
    /// user has started it.
    package func quit(_ app: String) async {
        for key in machine.keys(where: { key, _ in key.app == app }) { await handle(.quit(key)) }
    }

    /// Records an app's report of whether the user is working with it.
    package func setInFront(_ isInFront: Bool, app: String) async { await handle(.foregroundReported(app, isInFront)) }

    /// Records the desktop's complete report of its windows, by app name. For an app that is missing from the report,
    /// the app's own report applies.
    package func updateWindows(_ windows: [String: WindowFocus]) async { await handle(.windowsChanged(windows)) }
}

/// Queries about sessions.
extension SessionHost {
    /// Returns the result of a query on the sessions, in a consistent state between two events.
    ///
    /// ```swift
    /// let tasks = await host.read { $0.tasks(of: key) }
    /// ```
    package func read<Value: Sendable>(_ query: @Sendable (SessionMachine) -> Value) -> Value { query(machine) }
}
