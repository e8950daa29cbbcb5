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
    var apps = AppRegistry()
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
        if let app { effects += apps.startIfNeeded(app, for: sessions, at: now) }
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
            change(id) { session, number in session.tasks.update(number) { $0.record.snapshot.noteBytes(bytes) } }
        case .dateChanged(let id, let date): change(id) { $0.changeDate(of: $1, to: date) }
        case .challenged(let id, let challenges): change(id) { $0.challenge($1, challenges) }
        case .answered(let id): change(id) { $0.noteAnswer(to: $1) }
        case .transferEnded(let id, let end): change(id) { $0.end($1, as: end) }
        case .saidInFront(let app, let isInFront): effects += apps.note(isInFront: isInFront, app)
        case .windowsChanged(let windows):
            let users = sessions.values.compactMap(\.audience.user?.app)
            effects += apps.note(windows, of: Set(sessions.keys.map(\.app)).union(users))
        case .launchEnded(let app, let outcome):
            effects += apps.change(app) { $0.endLaunch(of: app, outcome, in: sessions) }
        case .timerFired(.begin(let key, let number)): change(key) { $0.passDate(of: number) }
        case .timerFired(.patience(let app)): effects += apps.change(app) { $0.endPatience(of: app, in: sessions) }
        case .timerFired(.pause(let app)): effects += apps.change(app) { $0.endPause() }
        }
    }

    /// Looks at a request: what has to be saved before it is carried out.
    ///
    /// - Throws: the refusal, which says what would be right.
    package func admit(
        _ request: SessionRequest, in key: SessionKey, at now: WallTime
    ) throws(SessionRefusal) -> Admission {
        try AdmissionControl(
            sessions: sessions, limits: limits, now: now, isBehind: isBehind(key), usage: usage(of: key.app)
        ).admit(request, in: key)
    }

    /// Whether nobody works with the program that has a session: its app, or another one of its container.
    private func isBehind(_ key: SessionKey) -> Bool {
        !apps[sessions[key]?.audience.user?.app ?? key.app].isInFront
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
        if output.hasDealt { effects += apps.change(key.app) { $0.deal(of: key.app, in: key, sessions) } }
        if output.mayAbandon { effects += apps.abandonIfIdle(key.app, sessions) }
        if output.changes.contains(.removed(key)) { sessions[key] = nil }
    }

    private mutating func accept(_ admission: Admission) {
        if case .open(let settings, let user, _) = admission.request {
            if sessions[admission.key] == nil {
                sessions[admission.key] = Session(admission.key, SessionRecord(settings: settings))
            }
            let isKnown = sessions.values.contains { $0.audience.user?.name == user.name }
            effects += apps.noteOpening(by: user, isKnown: isKnown)
        }
        change(admission.key) { $0.accept(admission) }
    }

    /// A process has done with a session, or is gone.
    private mutating func leave(_ key: SessionKey, _ name: String, isGone: Bool) {
        guard let user = sessions[key]?.audience.user, user.name == name else { return }
        change(key) { $0.leave(isGone: isGone) }
        if isGone, user.app == key.app { effects += apps.change(key.app) { $0.leave(of: key.app, sessions) } }
    }

    /// The rows as they are saved: the header fields of a session, which may be secrets, stay on disk only while it has
    /// unfinished tasks. Each opening brings them anew.
    package func stored(_ changes: [SessionChange]) -> [SessionChange] {
        changes.map { change in
            guard case .session(let key, var record) = change, !record.settings.additionalHeaders.isEmpty else {
                return change
            }
            var count = sessions[key]?.tasks.unfinishedCount ?? 0
            for case .task(key, let task) in changes {
                let isThere = sessions[key]?.tasks[unfinished: task.snapshot.identifier] != nil
                count += (task.end == nil ? 1 : 0) - (isThere ? 1 : 0)
            }
            guard count == 0 else { return change }
            record.settings.additionalHeaders = [:]
            return .session(key, record)
        }
    }
}
