// SPDX-License-Identifier: Apache-2.0
package import Logging
package import TransferEngine
package import TransferModel

/// Carries sessions out over an engine: which task is which transfer, what an app has to be told, and when it is started for
/// that.
///
/// Everything is saved before it is told, so that the program may end at any moment: a task is saved before it is handed
/// over, and found again by its transfer's key; its end is saved before the app hears of it, and stays until the app has
/// dealt with its last event.
package actor SessionHost {
    let engine: TransferEngine
    let store: any SessionStore
    let place: any SessionPlace
    let spool: any SourceSpool
    let launcher: any AppLauncher
    let alarm: any Alarm
    let sleep: @Sendable (Duration) async throws -> Void
    let logger: Logger
    /// What was lost of the queue before this start, for people; nil where nothing was.
    private let loss: String?

    var sessions: [SessionKey: Session] = [:]
    /// The tasks whose transfers are under way.
    var owners: [TransferID: TaskKey] = [:]
    var apps: [String: AppState] = [:]
    /// What the tasks of each app take, ended ones that are not acknowledged included.
    var usage: [String: TaskUsage] = [:]
    let limits: SessionLimits
    /// What the desktop tells of windows, by the names of apps.
    var windows: [String: WindowFocus] = [:]
    /// Tasks that are being submitted, by their transfers' keys.
    var submitting: [String: TaskKey] = [:]
    /// Tasks whose transfers ended when nobody took it down.
    var endedBefore: [(key: SessionKey, number: Int, ending: TransferEnding)] = []
    /// Uploads whose files are being kept.
    var submissions: [TaskKey: _Concurrency.Task<Void, any Error>] = [:]
    /// The most bytes of files that an app may have here.
    var filesPerApp: Int64
    var counted: [String: CountedDownloads] = [:]
    private var turns: [SessionKey: Turn] = [:]

    struct TaskKey: Hashable {
        var session: SessionKey
        var number: Int
    }

    /// A session as it stands.
    struct Session {
        var record: SessionRecord
        var tasks: [Int: Task] = [:]
        /// Which task ended in which place.
        var ends: [Int64: Int] = [:]
        /// The process that uses it.
        var client: SessionClient?
        /// Whether something had to wait for the app.
        var hasWaiting = false

        var hasUnfinished: Bool { tasks.values.contains { $0.record.end == nil } }
        /// Whether the app has something to do before it goes on, or has everything to hear.
        var needsApp: Bool {
            tasks.values.contains { $0.question != nil } || (!ends.isEmpty && !hasUnfinished)
        }
    }

    struct Task {
        var record: TaskRecord
        var transfer: TransferID?
        /// What the app is to answer.
        var question: SessionEvent.Kind?
        /// The wait for its date, while its transfer waits until the app was asked whether it may begin.
        var beginWait: BeginWait?
        /// The bytes that it counts for in its app's bookkeeping.
        var bytes = 0
    }

    /// A wait for the date at which an app is asked whether a task may begin.
    struct BeginWait {
        var date: WallTime
        var asking: _Concurrency.Task<Void, Never>
    }

    /// An engine's sessions; nothing happens before ``load()``.
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
        launcher: any AppLauncher, alarm: any Alarm, logger: Logger, loss: String? = nil,
        limits: SessionLimits = SessionLimits(), filesPerApp: Int64 = .max,
        sleep: @escaping @Sendable (Duration) async throws -> Void = {
            try await _Concurrency.Task.sleep(for: $0, clock: .continuous)
        }
    ) {
        self.engine = engine
        self.store = store
        self.place = place
        self.spool = spool
        self.filesPerApp = filesPerApp
        self.launcher = launcher
        self.alarm = alarm
        self.logger = logger
        self.loss = loss
        self.limits = limits
        self.sleep = sleep
    }

    var now: WallTime { alarm.now().wall }

    // MARK: Turns

    private final class Turn {
        var isTaken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// Does one thing after the other in a session, in the order of the calls, though each waits for the disk.
    func inTurn<Value: Sendable>(
        of key: SessionKey, _ body: (isolated SessionHost) async throws -> Value
    ) async rethrows -> Value {
        let turn = turns[key] ?? Turn()
        turns[key] = turn
        if turn.isTaken {
            await withCheckedContinuation { turn.waiting.append($0) }
        } else {
            turn.isTaken = true
        }
        defer {
            if turn.waiting.isEmpty {
                turns[key] = nil
            } else {
                turn.waiting.removeFirst().resume()
            }
        }
        return try await body(self)
    }

    // MARK: Opening

    /// Joins a process to a session, which is made where there is none, and tells what waited for it.
    ///
    /// - Throws: `SessionRefusal`.
    package func open(
        _ settings: SessionSettings, by client: SessionClient, registration: AppRegistration? = nil
    ) async throws -> SessionState {
        let longest = 255
        guard !settings.identifier.isEmpty, settings.identifier.utf8.count <= longest else {
            throw SessionRefusal(
                code: .badIdentifier,
                message: "a session's identifier has 1 to \(longest) bytes, not \(settings.identifier.utf8.count)")
        }
        let key = key(of: settings, for: client.app)
        return try await inTurn(of: key) { host in
            if let owner = host.sessions[key]?.client, owner.name != client.name {
                throw SessionRefusal(
                    code: .inUse,
                    message: """
                        The background session '\(key.identifier)' is in use by the process \(owner.process). It is free \
                        once that has ended, or has invalidated its session.
                        """, owner: owner.process)
            }
            try host.checkRoom(forSession: key)
            var record = host.sessions[key]?.record ?? SessionRecord(settings: settings)
            record.settings = settings
            host.register(client, as: registration, in: &record, of: key)
            record.isQuit = false
            // Once is enough: what it has left may still be there.
            if client.isSandboxed { record.isSandboxed = true }
            // Another process has never seen the tasks that the last one has not started.
            if record.process != client.process { record.missing = [] }
            record.process = client.process
            record.lastOpened = host.now
            if host.sessions[key]?.record != record { try await host.save([.session(key, record)]) }
            host.sessions[key, default: Session(record: record)].record = record
            host.noteOpening(by: client)
            host.sessions[key]?.client = client
            let state = host.state(of: key, for: client)
            host.tellWhatWaited(in: key)
            return state
        }
    }

    private func state(of key: SessionKey, for client: SessionClient) -> SessionState {
        guard let session = sessions[key] else { return SessionState(nextTask: 1, tasks: []) }
        var state = SessionState(
            nextTask: session.record.nextTask,
            tasks: session.tasks.values.map(\.record.snapshot).sorted { $0.identifier < $1.identifier })
        state.isInFront = apps[client.app]?.isInFront ?? true
        state.app = key.app == client.app ? nil : key.app
        state.warning = loss ?? warning(about: session.record, of: key, for: client)
        return state
    }

    /// The tasks that are not over, in the order of their numbers.
    package func tasks(of key: SessionKey) -> [TaskSnapshot] {
        (sessions[key]?.tasks.values.filter { $0.record.end == nil }.map(\.record.snapshot) ?? [])
            .sorted { $0.identifier < $1.identifier }
    }

    /// Tells a process once more all that waits for it, since it may have missed some: what has a number it knows.
    package func tellAgain(_ client: String, in key: SessionKey) async {
        await inTurn(of: key) { host in
            guard let session = host.sessions[key], let user = session.client, user.name == client else { return }
            if host.isBehind(key), session.needsApp { user.tell(key, SessionEvent(.called)) }
            host.tellWhatWaited(in: key)
        }
    }

    /// The finished file of an event that waits to be acknowledged; nil where there is none.
    package func file(ofEvent event: EventNumber, in key: SessionKey) -> String? {
        let (order, place) = event.quotientAndRemainder(dividingBy: TaskEnd.mostEvents)
        guard let number = sessions[key]?.ends[order], let end = sessions[key]?.tasks[number]?.record.end,
            case let kinds = end.kinds, kinds.indices.contains(Int(place)),
            case .downloaded(let path) = kinds[Int(place)]
        else { return nil }
        return path
    }

    /// Whether a process has a session open.
    package func hasOpen(_ key: SessionKey, _ client: String) -> Bool { sessions[key]?.client?.name == client }

    /// A process has done with a session. Its numbers go on where it is opened again.
    package func close(_ key: SessionKey, by client: String) async {
        await inTurn(of: key) { host in
            guard host.sessions[key]?.client?.name == client else { return }
            host.sessions[key]?.client = nil
            host.startIfNeeded(key.app)
        }
    }

    /// A process has gone.
    package func disconnected(_ client: String) async {
        for key in sessions.filter({ $0.value.client?.name == client }).keys.sorted() {
            await inTurn(of: key) { host in
                guard host.sessions[key]?.client?.name == client else { return }
                host.sessions[key]?.client = nil
                if host.sessions[key]?.ends.isEmpty == false { host.sessions[key]?.hasWaiting = true }
                // Nobody is there any more to wait for.
                host.apps[key.app]?.patience?.cancel()
                host.startIfNeeded(key.app)
            }
        }
    }

    // MARK: Saving

    func save(_ changes: [SessionChange]) async throws {
        do {
            try await store.commit(withoutUnneededHeaders(changes))
        } catch {
            throw SessionRefusal(code: .unavailable, message: "\(error)")
        }
    }

    /// Saves what has happened and cannot be refused: until it is saved, the session does not go on.
    func saveForSure(_ changes: [SessionChange]) async {
        var pause = Duration.seconds(1)
        while true {
            do {
                return try await store.commit(withoutUnneededHeaders(changes))
            } catch {
                logger.error("a session could not be saved; it is tried again", metadata: ["why": "\(error)"])
                do { try await sleep(pause) } catch { return }
                pause = min(pause * 2, .seconds(60))
            }
        }
    }
}
