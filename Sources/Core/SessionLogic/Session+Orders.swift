// SPDX-License-Identifier: Apache-2.0
import TransferModel

/// Carries out the requests of an app after they are saved.
extension Session {
    mutating func accept(_ admission: Admission) {
        var former: TaskSnapshot?
        if case .order(let order, _, _) = admission.request { former = tasks[order.task]?.record.snapshot }
        for change in admission.changes { put(change) }
        if let change = admission.unsaved { put(change) }
        switch admission.request {
        case .open(_, let user, _): send(audience.open(by: user, tasks))
        case .order(.submit(let snapshot), _, let source):
            guard case .failure(let error)? = source, !admission.changes.isEmpty else {
                return submit(snapshot.identifier)
            }
            end(snapshot.identifier, as: TaskEnd(failure: error.failure))
        case .order(let order, _, _):
            // The app has already replied.
            if case .begin = order, admission.changes.isEmpty { return }
            guard let task = tasks[unfinished: order.task] else { return }
            accept(order, of: task, formerly: former ?? task.record.snapshot)
        case .acknowledge:
            output.effects += admission.files.map { .removeFile($0) }
            // Only a task's last event counts. Otherwise, an app that crashes on a task's file would count as
            // successful because of the earlier events.
            output.hasHandledEvents = admission.changes.contains { if case .taskRemoved = $0 { true } else { false } }
        }
    }

    private mutating func accept(_ order: TaskOrder, of task: SessionTask, formerly former: TaskSnapshot) {
        let number = order.task
        switch order {
        case .submit: break
        case .suspend: output.effects += task.transfer.map { [.pause([$0])] } ?? []
        case .resume:
            guard let transfer = task.transfer else { return submit(number) }
            output.effects.append(.resume(transfer))
        // If the app was asked about the task, the cancellation is its reply.
        case .cancel:
            output.hasHandledEvents = task.unansweredEvent != nil
            cancel(number)
        case .cancelKeeping(_, let token):
            output.hasHandledEvents = task.unansweredEvent != nil
            cancel(number, keepingAs: token)
        case .change:
            guard let transfer = task.transfer else { return }
            let change = ChangeRequest(task.record, formerly: former, at: environment.now)
            if change != ChangeRequest() { output.effects.append(.change(transfer, change)) }
            let date = task.record.snapshot.earliestBegin
            if date != former.earliestBegin { changeDate(of: number, to: date) }
        case .begin(_, let reply):
            output.hasHandledEvents = task.unansweredEvent != nil
            begin(task, reply)
        case .answer(_, let reply):
            guard let transfer = task.transfer else { return }
            guard reply == .cancel else {
                return output.effects.append(
                    .answerChallenge(transfer, ChallengeResponse(reply, to: task.unansweredEvent)))
            }
            recordReply(to: number)
            cancel(number)
        }
    }

    // MARK: Submitting to the engine

    /// Submits a task to the engine, unless the task is suspended or already submitted.
    ///
    /// The task's row is already saved. If the host ends before the engine has the task, the task is submitted again.
    ///
    /// - Parameter replaced: The transfer that the task had before the app replaced its request.
    mutating func submit(_ number: Int, replacing replaced: TransferID? = nil) {
        guard let task = tasks[unfinished: number], task.transfer == nil,
            replaced != nil || !task.record.snapshot.isSuspended
        else { return }
        if let token = task.record.snapshot.continues, let kept = record.kept[token] {
            return resumeKeptTransfer(kept, token, as: number)
        }
        output.effects.append(
            .submit(
                TaskSubmission(
                    session: key, task: task.record, settings: record.settings,
                    isSandboxed: record.isSandboxed == true,
                    traits: task.record.traits(in: key, by: record.settings, at: environment.now), replaced: replaced))
        )
    }

    /// Continues with the bytes of a canceled task.
    private mutating func resumeKeptTransfer(_ kept: KeptBytes, _ token: String, as number: Int) {
        var session = record
        session.kept[token] = nil
        write(.session(key, session))
        change(number) {
            ($0.transfer, $0.source, $0.isResuming) = (kept.transfer, kept.source ?? $0.source, true)
        }
        bind(kept.transfer, to: number)
        output.effects.append(.resume(kept.transfer))
    }

    mutating func confirmResumption(of number: Int) {
        if tasks[unfinished: number]?.record.isResuming == true { change(number) { $0.isResuming = nil } }
    }

    mutating func bind(_ transfer: TransferID, to number: Int) {
        tasks.update(number) { $0.transfer = transfer }
        output.owners.append((transfer, number))
    }

    /// Detaches a transfer from its task. Later events of the transfer do not reach the session.
    mutating func unbind(_ transfer: TransferID, of number: Int) {
        tasks.update(number) { $0.transfer = nil }
        output.owners.append((transfer, nil))
    }

    // MARK: Canceling

    /// Cancels a task.
    ///
    /// - Parameter token: The resume token under which the task's bytes are kept for a later task.
    private mutating func cancel(_ number: Int, keepingAs token: String? = nil) {
        guard let task = tasks[unfinished: number] else { return }
        if let transfer = task.transfer {
            guard let token else { return output.effects.append(.cancel([transfer])) }
            unbind(transfer, of: number)
            output.effects.append(.pause([transfer]))
            var session = record
            session.kept[token] = KeptBytes(
                transfer: transfer, since: environment.now, bytes: task.record.snapshot.received,
                source: task.record.source)
            write(.session(key, session))
            change(number) { $0.source = nil }
        }
        end(number, as: TaskEnd(failure: .cancelled))
    }

    /// Cancels an app's tasks, because the user has force-quit the app. The app is not started again until the user
    /// starts it.
    mutating func quit() {
        var session = record
        session.isQuit = true
        write(.session(key, session))
        let transfers = tasks.unfinished.compactMap { tasks[$0]?.transfer }
        for number in tasks.unfinished {
            change(number) { $0.isCancelled = true }
            if tasks[number]?.transfer == nil { cancel(number) }
        }
        if !transfers.isEmpty { output.effects.append(.cancel(transfers)) }
        output.effects.append(.reportRelaunchAbandoned(key.app))
    }
}

extension ChangeRequest {
    /// Creates a request with the properties that an app has changed. The user may have changed the others.
    fileprivate init(_ record: TaskRecord, formerly former: TaskSnapshot, at now: WallTime) {
        self.init()
        let snapshot = record.snapshot
        if snapshot.schedulingPriority != former.schedulingPriority { priority = snapshot.schedulingPriority }
        // A task without a date begins at once.
        if snapshot.earliestBegin != former.earliestBegin, !record.mayBegin {
            constraints.notBefore = snapshot.earliestBegin ?? now
        }
    }
}
