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
    var submitting: [String: TaskKey] = [:]
    var apps: [String: AppState] = [:]
    /// What the desktop tells of windows, by the names of apps.
    var windows: [String: WindowFocus] = [:]
    /// What the tasks of each app take, ended ones that are not acknowledged included.
    var usage: [String: TaskUsage] = [:]
    /// The time of the event that is being applied.
    var now = WallTime(nanosecondsSinceEpoch: 0)
    /// The rows that the event has changed so far, and what is to be done about it once they are saved.
    var changes: [SessionChange] = []
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
        defer { (changes, effects) = ([], []) }
        return changes.isEmpty ? effects : [.save(stored(changes))] + effects
    }

    private mutating func take(_ event: Event) {
        switch event {
        case .recovered(let stored, let transfers): recover(stored, transfers)
        case .engineStarted(let key): goOn(in: key)
        case .accepted(let admission): accept(admission)
        case .missedEvents(let key, let name): tellAgain(name, in: key)
        case .closed(let key, let name): leave(key, name, isGone: false)
        case .disconnected(let key, let name): leave(key, name, isGone: true)
        case .quit(let key): quit(key)
        case .transferSubmitted(let id, let key): bind(id, submittedAs: key)
        case .submissionFailed(let key): submitting[key] = nil
        case .unusable(let key, let number, let failure): end(number, in: key, as: TaskEnd(failure: failure))
        case .resumed(let id): noteResumption(of: id)
        case .transferBegan(let id): noteBegin(of: id)
        case .transferProgressed(let id, let bytes, let total): note(bytes, of: total, in: id)
        case .transferStopped(let id, let bytes): update(id) { $0.record.snapshot.noteBytes(bytes) }
        case .dateChanged(let id, let date): changeDate(of: id, to: date)
        case .challenged(let id, let challenges): challenge(id, challenges)
        case .answered(let id): noteAnswer(to: id)
        case .transferEnded(let id, let end):
            if let owner = owners[id] { self.end(owner.number, in: owner.session, as: end) }
        case .saidInFront(let app, let isInFront): note(isInFront: isInFront, app)
        case .windowsChanged(let windows): note(windows)
        case .launchEnded(let app, let outcome): endLaunch(of: app, outcome)
        case .timerFired(let timer): fire(timer)
        }
    }

    // MARK: Rows

    /// Changes a row, which is saved before the event's effects are performed.
    mutating func write(_ change: SessionChange) {
        put(change)
        // One row of a session is saved once, as it is at the end.
        if case .session(let key, _) = change {
            changes.removeAll { if case .session(key, _) = $0 { true } else { false } }
        }
        changes.append(change)
    }

    /// Changes a row in memory.
    mutating func put(_ change: SessionChange) {
        switch change {
        case .session(let key, let record): sessions[key, default: Session(record)].record = record
        case .task(let key, let record):
            let isNew = sessions[key]?.tasks[record.snapshot.identifier] == nil
            guard let grown = sessions[key]?.put(record) else { return }
            usage[key.app, default: TaskUsage()].bytes += grown
            if isNew { usage[key.app]?.tasks += 1 }
        case .taskRemoved(let key, let number):
            guard let task = sessions[key]?.remove(number) else { return }
            usage[key.app]?.bytes -= task.bytes
            usage[key.app]?.tasks -= 1
            if usage[key.app]?.tasks == 0 { usage[key.app] = nil }
        case .removed(let key): sessions[key] = nil
        }
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

    /// Changes a task that has not ended, its row included, which is saved.
    mutating func change(_ number: Int, in key: SessionKey, _ body: (inout TaskRecord) -> Void) {
        guard var record = sessions[key]?[unfinished: number]?.record else { return }
        body(&record)
        write(.task(key, record))
    }

    /// Changes what a restart forgets of a transfer's task.
    mutating func update(_ id: TransferID, _ body: (inout SessionTask) -> Void) {
        guard let owner = owners[id] else { return }
        sessions[owner.session]?.update(owner.number, body)
    }
}
