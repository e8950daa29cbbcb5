// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// Decides about background sessions: which transfer belongs to which task, which events an app has yet to receive or
/// reply to, and when an app is started.
///
/// The machine is a pure value: the same events at the same times give the same effects. The driver of the machine
/// performs the effects of a session in order. The driver completes the effects of one event of a session before it
/// passes the session's next event. ``session(of:)`` returns the session to which an event belongs.
///
/// The effects of an event begin with a single save of all changed rows, so every event is saved before other effects.
/// A request of an app may be refused. ``admit(_:in:at:)`` returns the rows that an admissible request changes, but
/// does not change the machine. After the rows are saved, ``Event/accepted(_:)`` applies the request.
///
/// An invariant holds after each event. Consider an app that has events to receive or to reply to, has no process with
/// the session open, and may be started. Such an app is being started, or has a timer for its launch. No session waits
/// for its app forever, whatever the order of events.
package struct SessionMachine: Sendable {
    /// The identity of a task across all sessions.
    package struct TaskKey: Hashable, Sendable {
        package var session: SessionKey
        package var number: Int

        package init(session: SessionKey, number: Int) {
            self.session = session
            self.number = number
        }
    }

    let limits: SessionLimits
    /// A description of what the queue lost before this start, for display; `nil` if nothing was lost.
    let loss: String?
    var sessions: [SessionKey: Session] = [:]
    /// The tasks that have a transfer in the engine, by transfer.
    var owners: [TransferID: TaskKey] = [:]
    /// The tasks that are being submitted, by the key of their transfer.
    private var submitting: [String: TaskKey] = [:]
    var apps = AppRegistry()
    /// The time of the current event. ``effects`` collects what the event leads to.
    var now = WallTime(nanosecondsSinceEpoch: 0)
    var effects: [SessionEffect] = []

    /// Creates a machine without sessions.
    package init(limits: SessionLimits = SessionLimits(), loss: String? = nil) {
        self.limits = limits
        self.loss = loss
    }

    /// Applies an event and returns the effects to perform, in order.
    ///
    /// An event that does not fit the state changes nothing, because it comes from a race. An example is the end of a
    /// transfer that no longer belongs to a task.
    package mutating func apply(_ event: Event, at now: WallTime) -> [SessionEffect] {
        self.now = now
        let app = app(of: event)
        dispatch(event)
        if let app { effects += apps.startIfNeeded(app, for: sessions, at: now) }
        defer { effects = [] }
        return effects
    }

    private mutating func dispatch(_ event: Event) {
        switch event {
        case .recovered(let stored, let transfers):
            sessions[stored.key] = Session(stored, transfers)
            change(stored.key) { _ in }
        case .engineStarted(let key): change(key) { $0.resumeWork() }
        case .accepted(let admission): accept(admission)
        case .missedEvents(let key, let name): change(key) { $0.resendEvents(name) }
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
        case .resumed(let id): change(id) { $0.confirmResumption(of: $1) }
        case .transferBegan(let id): change(id) { $0.reportContinuation(of: $1) }
        case .transferProgressed(let id, let bytes, let total): change(id) { $0.update(bytes, of: total, in: $1) }
        case .transferStopped(let id, let bytes):
            change(id) { session, number in session.tasks.update(number) { $0.record.snapshot.recordBytes(bytes) } }
        case .dateChanged(let id, let date): change(id) { $0.changeDate(of: $1, to: date) }
        case .challenged(let id, let challenges): change(id) { $0.challenge($1, challenges) }
        case .challengeAnswered(let id): change(id) { $0.recordReply(to: $1) }
        case .transferEnded(let id, let end): change(id) { $0.end($1, as: end) }
        case .foregroundReported(let app, let isInFront): effects += apps.update(isInFront: isInFront, app)
        case .windowsChanged(let windows):
            let users = sessions.values.compactMap(\.audience.user?.app)
            effects += apps.update(windows, of: Set(sessions.keys.map(\.app)).union(users))
        case .launchEnded(let app, let outcome):
            effects += apps.change(app) { $0.endLaunch(of: app, outcome, in: sessions) }
        case .timerFired(.begin(let key, let number)): change(key) { $0.passDate(of: number) }
        case .timerFired(.handlingTimeLimit(let app)):
            effects += apps.change(app) { $0.endHandling(of: app, in: sessions) }
        case .timerFired(.pause(let app)): effects += apps.change(app) { $0.endPause() }
        }
    }

    /// Checks a request and returns the rows to save before the request is carried out.
    ///
    /// - Throws: The refusal, which says what a valid request looks like.
    package func admit(
        _ request: SessionRequest, in key: SessionKey, at now: WallTime
    ) throws(SessionRefusal) -> Admission {
        try AdmissionControl(
            sessions: sessions, limits: limits, now: now, isInBackground: isInBackground(key), usage: usage(of: key.app)
        ).admit(request, in: key)
    }

    /// Returns a Boolean value that indicates whether the program that uses a session is in the background. The program
    /// is the session's app, or another program of the same container.
    private func isInBackground(_ key: SessionKey) -> Bool {
        !apps[sessions[key]?.audience.user?.app ?? key.app].isInFront
    }

    // MARK: Sessions

    private mutating func change(_ id: TransferID, _ body: (inout Session, Int) -> Void) {
        guard let owner = owners[id] else { return }
        change(owner.session) { body(&$0, owner.number) }
    }

    /// Applies a change to a session and collects its output.
    private mutating func change(_ key: SessionKey, _ body: (inout Session) -> Void) {
        let environment = Session.Environment(
            now: now, isInBackground: isInBackground(key), limits: limits, usage: usage(of: key.app))
        guard let index = sessions.index(forKey: key) else { return }
        sessions.values[index].environment = environment
        body(&sessions.values[index])
        let output = sessions.values[index].output
        sessions.values[index].output = Session.Output()
        for (id, number) in output.owners { owners[id] = number.map { TaskKey(session: key, number: $0) } }
        for case .submit(let submission) in output.effects {
            submitting[submission.transferKey] = TaskKey(session: key, number: submission.number)
        }
        if !output.changes.isEmpty { effects.append(.save(stored(output.changes))) }
        effects += output.effects
        if output.hasHandledEvents {
            effects += apps.change(key.app) { $0.recordHandling(of: key.app, in: key, sessions) }
        }
        if output.mayAbandon { effects += apps.abandonIfIdle(key.app, sessions) }
        if output.changes.contains(.removed(key)) { sessions[key] = nil }
    }

    private mutating func accept(_ admission: Admission) {
        if case .open(let settings, let user, _) = admission.request {
            if sessions[admission.key] == nil {
                sessions[admission.key] = Session(admission.key, SessionRecord(settings: settings))
            }
            let isKnown = sessions.values.contains { $0.audience.user?.name == user.name }
            effects += apps.recordOpening(by: user, isKnown: isKnown)
        }
        change(admission.key) { $0.accept(admission) }
    }

    /// Records that a process has closed a session, or is gone.
    private mutating func leave(_ key: SessionKey, _ name: String, isGone: Bool) {
        guard let user = sessions[key]?.audience.user, user.name == name else { return }
        change(key) { $0.leave(isGone: isGone) }
        if isGone, user.app == key.app { effects += apps.change(key.app) { $0.leave(of: key.app, sessions) } }
    }

    /// Returns the rows as they are saved. A session's header fields may be secrets, so they stay on disk only while
    /// the session has unfinished tasks. Each opening supplies the header fields again.
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
