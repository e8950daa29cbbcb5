// SPDX-License-Identifier: Apache-2.0
import TransferModel

/// What apps want done, once it is saved.
extension SessionMachine {
    mutating func accept(_ admission: Admission) {
        let key = admission.key
        for change in admission.changes { put(change) }
        if let change = admission.unsaved { put(change) }
        switch admission.request {
        case .open(_, let user, _): open(key, by: user)
        case .order(.submit(let snapshot), _, let source):
            if case .failure(let error)? = source, !admission.changes.isEmpty {
                return end(snapshot.identifier, in: key, as: TaskEnd(failure: error.failure))
            }
            submit(snapshot.identifier, in: key)
        case .order(let order, _, _):
            // Its question was answered before.
            if case .begin = order, admission.changes.isEmpty { return }
            guard let task = sessions[key]?[unfinished: order.task] else { return }
            accept(order, of: task, in: key)
        case .acknowledge:
            effects += admission.files.map { .removeFile($0) }
            if !admission.changes.isEmpty || admission.unsaved != nil { noteDealing(in: key) }
        }
    }

    private mutating func accept(_ order: TaskOrder, of task: SessionTask, in key: SessionKey) {
        let number = order.task
        switch order {
        case .submit: break
        case .suspend: effects += task.transfer.map { [.pause([$0])] } ?? []
        case .resume:
            guard let transfer = task.transfer else { return submit(number, in: key) }
            effects.append(.resume(transfer))
        case .cancel: cancel(number, in: key)
        case .cancelKeeping(_, let token): cancel(number, in: key, keepingAs: token)
        case .change: changed(task, in: key)
        case .begin(_, let reply):
            if task.question != nil { noteDealing(in: key) }
            begin(task, in: key, reply)
        case .answer(_, let reply):
            guard let transfer = task.transfer else { return }
            guard reply == .cancel else {
                return effects.append(.answerChallenge(transfer, answer(to: task.question, reply)))
            }
            noteAnswer(to: transfer)
            cancel(number, in: key)
        }
    }

    private mutating func changed(_ task: SessionTask, in key: SessionKey) {
        guard let settings = sessions[key]?.record.settings, let transfer = task.transfer else { return }
        let snapshot = task.record.snapshot
        effects.append(
            .change(transfer, task.record.constraints(by: settings), priority: snapshot.schedulingPriority))
        changeDate(of: transfer, to: snapshot.earliestBegin)
    }

    // MARK: To the engine

    /// Gives a task to the engine, unless it is suspended or there already. Its row is there: it is given again if this
    /// program ends before the engine has it.
    ///
    /// - Parameter replaced: the transfer that the task was before its app gave it another request.
    mutating func submit(_ number: Int, in key: SessionKey, replacing replaced: TransferID? = nil) {
        guard let session = sessions[key], let task = session[unfinished: number], task.transfer == nil,
            replaced != nil || !task.record.snapshot.isSuspended
        else { return }
        if let token = task.record.snapshot.continues, let kept = session.record.kept[token] {
            return takeUp(kept, token, as: number, in: key)
        }
        let settings = session.record.settings
        let submission = TaskSubmission(
            session: key, task: task.record, settings: settings, isSandboxed: session.record.isSandboxed == true,
            traits: task.record.traits(in: key, by: settings, at: now), replaced: replaced)
        submitting[submission.transferKey] = TaskKey(session: key, number: number)
        effects.append(.submit(submission))
    }

    /// Goes on with the bytes of a cancelled task.
    private mutating func takeUp(_ kept: KeptBytes, _ token: String, as number: Int, in key: SessionKey) {
        guard var record = sessions[key]?.record else { return }
        record.kept[token] = nil
        write(.session(key, record))
        change(number, in: key) {
            ($0.transfer, $0.source, $0.isResuming) = (kept.transfer, kept.source ?? $0.source, true)
        }
        bind(TaskKey(session: key, number: number), to: kept.transfer)
        effects.append(.resume(kept.transfer))
    }

    mutating func noteResumption(of id: TransferID) {
        guard let owner = owners[id],
            sessions[owner.session]?[unfinished: owner.number]?.record.isResuming == true
        else { return }
        change(owner.number, in: owner.session) { $0.isResuming = nil }
    }

    /// Gives a task that is being submitted its transfer: as its submission returns, or as the engine tells of it, whichever
    /// comes first.
    mutating func bind(_ transfer: TransferID, submittedAs key: String) {
        guard let task = submitting.removeValue(forKey: key) else { return }
        bind(task, to: transfer)
        waitForBegin(task.number, in: task.session)
    }

    mutating func bind(_ task: TaskKey, to transfer: TransferID) {
        owners[transfer] = task
        update(transfer) { $0.transfer = transfer }
    }

    /// Forgets the transfer of a task: what becomes of it is nothing to the session.
    mutating func unbind(_ transfer: TransferID) {
        update(transfer) { $0.transfer = nil }
        owners[transfer] = nil
    }

    // MARK: Ended ones

    /// Cancels a task.
    ///
    /// - Parameter token: the name under which its bytes are kept for a later task.
    private mutating func cancel(_ number: Int, in key: SessionKey, keepingAs token: String? = nil) {
        guard let task = sessions[key]?[unfinished: number], let transfer = task.transfer else {
            return end(number, in: key, as: TaskEnd(failure: .cancelled))
        }
        guard let token, var record = sessions[key]?.record else { return effects.append(.cancel([transfer])) }
        unbind(transfer)
        effects.append(.pause([transfer]))
        record.kept[token] = KeptBytes(
            transfer: transfer, since: now, bytes: task.record.snapshot.received, source: task.record.source)
        write(.session(key, record))
        change(number, in: key) { $0.source = nil }
        end(number, in: key, as: TaskEnd(failure: .cancelled))
    }

    /// Takes back what an app had, as its person ended it for good: it is not started again until somebody else does.
    mutating func quit(_ key: SessionKey) {
        guard let session = sessions[key] else { return }
        var record = session.record
        record.isQuit = true
        write(.session(key, record))
        var transfers: [TransferID] = []
        for number in session.unfinished {
            if let transfer = session.tasks[number]?.transfer { transfers.append(transfer) }
            change(number, in: key) { $0.isCancelled = true }
            if session.tasks[number]?.transfer == nil { cancel(number, in: key) }
        }
        if !transfers.isEmpty { effects.append(.cancel(transfers)) }
        effects.append(.noteRelaunchAbandoned(key.app))
    }
}
