// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// Decides whether a request from a process may be carried out, and which rows to save first. Changes nothing itself.
struct AdmissionControl {
    let sessions: [SessionKey: Session]
    let limits: SessionLimits
    let now: WallTime
    /// A Boolean value that indicates whether the program that uses the session is in the background.
    let isInBackground: Bool
    /// The resources that the tasks of the session's app use.
    let usage: TaskUsage

    /// Checks a request and returns the rows to save before the request is carried out.
    ///
    /// - Throws: The refusal, which says what a valid request looks like.
    func admit(_ request: SessionRequest, in key: SessionKey) throws(SessionRefusal) -> Admission {
        var admission = Admission(request: request, key: key)
        switch request {
        case .open(let settings, let user, let registration):
            try admit(settings, by: user, registration, into: &admission)
        case .order(let order, let client, let source):
            try checkUser(client, of: key)
            if let session = sessions[key] { try admit(order, source, of: session, into: &admission) }
        case .acknowledge(let event, let client):
            try checkUser(client, of: key)
            guard let (number, index, kinds) = sessions[key]?.tasks.find(event),
                var record = sessions[key]?.tasks[number]?.record, index >= record.acknowledged
            else { break }
            admission.files = kinds[record.acknowledged...index].compactMap(\.file)
            record.acknowledged = index + 1
            if record.acknowledged == kinds.count {
                admission.changes = [.taskRemoved(key, number)]
            } else if case .responded = kinds[index] {
                admission.unsaved = .task(key, record)
            } else {
                admission.changes = [.task(key, record)]
            }
        }
        return admission
    }

    private func checkUser(_ client: String, of key: SessionKey) throws(SessionRefusal) {
        guard sessions[key]?.audience.user?.name != client else { return }
        throw SessionRefusal(
            code: .noSuchSession,
            message: "this process has no open session '\(key.identifier)'; open the session first")
    }

    private func admit(
        _ settings: SessionSettings, by user: ClientProcess, _ registration: AppRegistration?,
        into admission: inout Admission
    ) throws(SessionRefusal) {
        let key = admission.key
        if let owner = sessions[key]?.audience.user, owner.name != user.name {
            throw SessionRefusal(
                code: .inUse,
                message: """
                    The background session '\(key.identifier)' is in use by process \(owner.process). The session is \
                    available after that process has ended or has invalidated the session.
                    """, owner: owner.process)
        }
        if sessions[key] == nil { try limits.check(sessions: sessions.keys.count { $0.app == key.app }, of: key.app) }
        var record = sessions[key]?.record ?? SessionRecord(settings: settings)
        record.settings = settings
        sessions.register(user, as: registration, in: &record, of: key)
        record.isQuit = false
        // The flag is never cleared: files that a sandboxed program left may still exist.
        if user.isSandboxed { record.isSandboxed = true }
        // A new process does not know the tasks that the previous process created but did not start.
        let isOtherProcess = record.process != user.process
        if isOtherProcess { record.missing = NumberRanges() }
        record.process = user.process
        record.lastOpened = now
        if sessions[key]?.record != record { admission.changes = [.session(key, record)] }
        guard isOtherProcess, let tasks = sessions[key]?.tasks else { return }
        // A new process knows only the dates that the user has set.
        for number in tasks.unfinished {
            guard var task = tasks[number]?.record, task.replacedDate != nil else { continue }
            task.replacedDate = nil
            admission.changes.append(.task(key, task))
        }
    }

    private func admit(
        _ order: TaskOrder, _ source: Result<KeptSource, UnusableTask>?, of former: Session,
        into admission: inout Admission
    ) throws(SessionRefusal) {
        let key = former.key
        var session = former.record
        if case .submit(let snapshot) = order {
            // A repeated submission is not an error.
            guard session.isNew(snapshot.identifier) else { return }
            try limits.check(snapshot, in: session, of: key.app, using: usage)
            guard session.recordArrival(snapshot.identifier) else { return }
            var record = TaskRecord(snapshot: snapshot)
            record.isFromBackground = isInBackground
            record.source = try? source?.get()
            return admission.changes = [.session(key, session), .task(key, record)]
        }
        guard let task = former.tasks[unfinished: order.task] else { return }
        var record = task.record
        switch order {
        case .submit, .cancelKeeping: return
        case .suspend: (record.snapshot.isSuspended, record.isResuming) = (true, nil)
        case .resume: (record.snapshot.isSuspended, record.isResuming) = (false, task.transfer == nil ? nil : true)
        case .cancel:
            guard task.transfer != nil else { return }
            record.isCancelled = true
        case .change(let snapshot):
            let grown = (snapshot.note?.utf8.count ?? 0) - (record.snapshot.note?.utf8.count ?? 0)
            try limits.check(change: grown, of: key.app, using: usage)
            record.apply(snapshot)
        case .begin(_, let reply):
            guard !record.mayBegin else { return }
            switch reply {
            case .asBefore: record.mayBegin = true
            case .unasked:
                record.mayBegin = true
                session.skipsBeginRequests = true
                admission.changes = [.session(key, session)]
            case .cancel: record.isCancelled = true
            case .with(let request):
                let former = record.snapshot.bookkeepingBytes
                record.snapshot.request = request
                try limits.check(
                    change: record.snapshot.bookkeepingBytes - former, of: key.app, using: usage)
                record.mayBegin = true
                // The new key keeps a transfer of the old request from being mistaken for the new transfer.
                record.generation += 1
            }
        case .answer(_, let reply):
            guard reply == .cancel else { return }
            record.isCancelled = true
        }
        admission.changes.append(.task(key, record))
    }
}

/// A request from a process.
package enum SessionRequest: Sendable {
    /// Opens a session, which is created if it does not exist.
    case open(SessionSettings, ClientProcess, AppRegistration?)
    /// Carries out an order for a task. For the submission of an upload, carries the kept file, or the reason why
    /// there is no kept file.
    case order(TaskOrder, from: String, Result<KeptSource, UnusableTask>?)
    /// Acknowledges an event. The app has handled the event and does not receive it again.
    case acknowledge(EventNumber, from: String)
}

/// A request that has passed admission control.
package struct Admission: Sendable {
    var request: SessionRequest
    package var key: SessionKey
    /// The rows to save before the request is carried out.
    package var changes: [SessionChange] = []
    /// A change that is kept in memory only, because it is not worth a write. After a restart, the app receives an
    /// event a second time, which is harmless.
    var unsaved: SessionChange?
    /// The paths of the finished files that the app has claimed.
    var files: [String] = []
}
