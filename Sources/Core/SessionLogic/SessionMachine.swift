// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// Decides what becomes of background sessions: which task is which transfer, what an app has still to hear, what it is
/// asked, and when it is started for that.
///
/// A pure value: the same events at the same times give the same effects. Whoever drives it performs the effects of a
/// session in their order, one event's after the other's; ``session(of:)`` says which events that concerns.
///
/// What happened is saved before anything else is done about it, since the effects of an event begin with the one save of
/// all rows that it changed. What somebody asks for may be refused: ``admit(_:in:at:)`` says which rows it changes, and
/// changes nothing itself. Once they are saved, ``Event/accepted(_:)`` takes them over.
///
/// After each event, an app that has something to hear or to answer, runs in no process that has the session, and may be
/// started, is being started or has a timer to be. So no session waits for its app in vain, whatever the order of events.
package struct SessionMachine: Sendable {
    /// Tells one task of all sessions from every other.
    package struct TaskKey: Hashable, Sendable {
        package var session: SessionKey
        package var number: Int

        package init(session: SessionKey, number: Int) {
            self.session = session
            self.number = number
        }
    }

    let limits: SessionLimits
    /// What was lost of the queue before this start, for people; nil where nothing was.
    let loss: String?
    var sessions: [SessionKey: Session] = [:]
    /// The tasks whose transfers are under way.
    var owners: [TransferID: TaskKey] = [:]
    /// Tasks that are being submitted, by their transfers' keys.
    private var submitting: [String: TaskKey] = [:]
    var apps: [String: AppState] = [:]
    /// What the desktop tells of windows, by the names of apps.
    var windows: [String: WindowFocus] = [:]
    /// The time of the event that is being applied, and what is to be done about it.
    var now = WallTime(nanosecondsSinceEpoch: 0)
    var effects: [SessionEffect] = []

    /// A machine without sessions.
    package init(limits: SessionLimits = SessionLimits(), loss: String? = nil) {
        self.limits = limits
        self.loss = loss
    }

    /// Takes one event in and gives out what is to be done, in order.
    ///
    /// An event that does not fit the state, such as the end of a transfer that is nobody's any more, changes nothing: it
    /// comes from a race.
    package mutating func apply(_ event: Event, at now: WallTime) -> [SessionEffect] {
        self.now = now
        let app = app(of: event)
        take(event)
        if let app { startIfNeeded(app) }
        defer { effects = [] }
        return effects
    }

    private mutating func take(_ event: Event) {
        switch event {
        case .recovered(let stored, let transfers):
            sessions[stored.key] = Session(stored, transfers)
            change(stored.key) { _ in }
        case .engineStarted(let key): change(key) { $0.goOn() }
        case .accepted(let admission): accept(admission)
        case .missedEvents(let key, let name): change(key) { $0.tellAgain(name) }
        case .closed(let key, let name): leave(key, name, isGone: false)
        case .disconnected(let key, let name): leave(key, name, isGone: true)
        case .quit(let key): change(key) { $0.quit() }
        case .transferSubmitted(let id, let key):
            guard let task = submitting.removeValue(forKey: key) else { return }
            change(task.session) {
                $0.bind(id, to: task.number)
                $0.waitForBegin(task.number)
            }
        case .submissionFailed(let key): submitting[key] = nil
        case .unusable(let key, let number, let failure): change(key) { $0.end(number, as: TaskEnd(failure: failure)) }
        case .resumed(let id): change(id) { $0.noteResumption(of: $1) }
        case .transferBegan(let id): change(id) { $0.noteBegin(of: $1) }
        case .transferProgressed(let id, let bytes, let total): change(id) { $0.note(bytes, of: total, in: $1) }
        case .transferStopped(let id, let bytes):
            change(id) { session, number in session.update(number) { $0.record.snapshot.noteBytes(bytes) } }
        case .dateChanged(let id, let date): change(id) { $0.changeDate(of: $1, to: date) }
        case .challenged(let id, let challenges): change(id) { $0.challenge($1, challenges) }
        case .answered(let id): change(id) { $0.noteAnswer(to: $1) }
        case .transferEnded(let id, let end): change(id) { $0.end($1, as: end) }
        case .saidInFront(let app, let isInFront): note(isInFront: isInFront, app)
        case .windowsChanged(let windows): note(windows)
        case .launchEnded(let app, let outcome):
            changeApp(app) { $0.endLaunch(of: app, outcome, in: $1) }
        case .timerFired(.begin(let key, let number)): change(key) { $0.passDate(of: number) }
        case .timerFired(.patience(let app)): changeApp(app) { $0.endPatience(of: app, in: $1) }
        case .timerFired(.pause(let app)): changeApp(app) { state, _ in state.endPause() }
        }
    }

    // MARK: Parts

    private mutating func change(_ id: TransferID, _ body: (inout Session, Int) -> Void) {
        guard let owner = owners[id] else { return }
        change(owner.session) { body(&$0, owner.number) }
    }

    /// Lets a session decide, and gathers what follows.
    private mutating func change(_ key: SessionKey, _ body: (inout Session) -> Void) {
        let surroundings = Session.Surroundings(
            now: now, isBehind: isBehind(key), limits: limits, usage: usage(of: key.app))
        guard let index = sessions.index(forKey: key) else { return }
        sessions.values[index].surroundings = surroundings
        body(&sessions.values[index])
        let output = sessions.values[index].output
        sessions.values[index].output = Session.Output()
        for (id, number) in output.owners { owners[id] = number.map { TaskKey(session: key, number: $0) } }
        for case .submit(let submission) in output.effects {
            submitting[submission.transferKey] = TaskKey(session: key, number: submission.number)
        }
        if !output.changes.isEmpty { effects.append(.save(stored(output.changes))) }
        effects += output.effects
        if output.hasDealt { changeApp(key.app) { $0.deal(of: key.app, in: key, $1) } }
        if output.mayAbandon { abandonIfIdle(key.app) }
        if output.changes.contains(.removed(key)) { sessions[key] = nil }
    }

    /// Lets an app's state decide about its start, and gathers what follows.
    private mutating func changeApp(_ app: String, _ body: (inout AppState, [SessionKey: Session]) -> [SessionEffect]) {
        var state = apps[app] ?? AppState()
        effects += body(&state, sessions)
        apps[app] = state
    }

    private mutating func accept(_ admission: Admission) {
        if case .open(let settings, let user, _) = admission.request {
            if sessions[admission.key] == nil {
                sessions[admission.key] = Session(admission.key, SessionRecord(settings: settings))
            }
            noteOpening(by: user)
        }
        change(admission.key) { $0.accept(admission) }
    }

    /// A process has done with a session, or is gone.
    private mutating func leave(_ key: SessionKey, _ name: String, isGone: Bool) {
        guard let user = sessions[key]?.user, user.name == name else { return }
        change(key) { $0.leave(isGone: isGone) }
        if isGone, user.app == key.app { changeApp(key.app) { $0.leave(of: key.app, $1) } }
    }

    /// The rows as they are saved: the header fields of a session, which may be secrets, stay on disk only while it has
    /// unfinished tasks. Each opening brings them anew.
    package func stored(_ changes: [SessionChange]) -> [SessionChange] {
        changes.map { change in
            guard case .session(let key, var record) = change, !record.settings.additionalHeaders.isEmpty else {
                return change
            }
            var count = sessions[key]?.unfinishedCount ?? 0
            for case .task(key, let task) in changes {
                let isThere = sessions[key]?[unfinished: task.snapshot.identifier] != nil
                count += (task.end == nil ? 1 : 0) - (isThere ? 1 : 0)
            }
            guard count == 0 else { return change }
            record.settings.additionalHeaders = [:]
            return .session(key, record)
        }
    }
}
