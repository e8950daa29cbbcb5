// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
import TransferScheduling

/// The commands, carried out in the order of their messages.
extension EngineLoop {
    /// Stores transfers, replies to the caller, and passes the transfers to the scheduler.
    func receive(_ submission: consuming Submission) async {
        let ids: [TransferID]
        let now = driver.alarm.now()
        submission.complete(at: now.wall)
        do {
            ids = try await store.commit(submission.transfers.map(StoreChange.submitted))
        } catch {
            return submission.reply.resume(throwing: error)
        }
        for (id, transfer) in zip(ids, submission.transfers) {
            driver.updates.report(id, .submitted(transfer), at: now)
        }
        submission.reply.resume(returning: ids)
        guard hasSnapshot else {
            for (id, transfer) in zip(ids, submission.transfers) {
                early.add(id, transfer.specification.traits, isWatched: submission.isWatched)
            }
            return
        }
        for (id, transfer) in zip(ids, submission.transfers) {
            driver.records.add(id, transfer)
            let traits = transfer.specification.traits
            // A submission from the background is always new, so that the relaunch limiter is applied.
            if let resume = transfer.resume, traits.isFromBackground != true {
                let state = RecoveredState(bytes: resume.bytes, total: resume.total)
                await driver.decide(.recovered(id, traits, state))
            } else {
                await driver.decide(.submitted(id, traits))
            }
        }
        await driver.saveAndPerform()
        if submission.isWatched { await watch(ids, true) }
    }

    /// Carries out a command.
    func carryOut(_ command: Event) async {
        switch command {
        case .watched(let id): await watch([id], true)
        case .unwatched(let id): await watch([id], false)
        case .budgetsChanged, .appRelaunched, .appCameToFront, .relaunchAbandoned:
            await driver.handle(command, savingStatistics: true)
        case .submitted, .recovered, .changed, .cancelled, .paused, .resumed, .held, .released, .conditionsChanged,
            .appNeeded, .appResponded, .progressed, .restarted, .stopped, .finished, .failed, .serverRequestedWait,
            .ranOutOfSpace, .spaceMeasured, .woken:
            await driver.handle(command)
        }
    }

    /// Replaces the limits of metered bytes. The spent bytes are kept.
    func carryOut(_ limits: ByteBudgetLimits) async {
        let (current, localTime) = (driver.scheduler.budgets, driver.scheduler.localTime)
        // Limits are validated when they are created.
        guard let budgets = try? current.limited(to: limits, at: driver.alarm.now().wall, localTime: localTime),
            budgets != current
        else { return }
        await carryOut(.budgetsChanged(budgets))
    }

    /// Starts or stops reports about why transfers wait. A start reports the current reasons, unless they were
    /// reported already.
    func watch(_ ids: [TransferID], _ isWatched: Bool) async {
        let ids = ids.filter { driver.scheduler.contains($0) }
        for id in ids {
            driver.records.record(of: id).isWatched = isWatched
            await driver.decide(isWatched ? .watched(id) : .unwatched(id))
        }
        await driver.saveAndPerform()
        guard isWatched else { return }
        let now = driver.alarm.now()
        for id in ids {
            guard let explanation = driver.scheduler.explanation(of: id, at: now), !explanation.reasons.isEmpty,
                explanation.codes != driver.records[id]?.reportedReasons
            else { continue }
            driver.explain(id, at: now)
        }
    }

    // MARK: Actions

    /// Performs an action on several transfers and replies to the caller.
    func carryOut(_ request: ActionRequest) async {
        var outcomes: [ActionOutcome] = []
        for id in request.ids {
            let outcome =
                hasSnapshot ? await carryOut(request.action, on: id) : await early.carryOut(request.action, on: id)
            outcomes.append(outcome)
        }
        await driver.saveAndPerform()
        let stopping = request.awaitsEnd ? request.ids.filter { driver.scheduler.contains($0) } : []
        driver.replies.send(request.reply, outcomes, after: stopping)
    }

    private func carryOut(_ action: TransferAction, on id: TransferID) async -> ActionOutcome {
        guard driver.scheduler.contains(id) else { return .notFound }
        switch action {
        case .pause:
            return await driver.decide(.paused(id)).contains(.savePaused(id, true)) ? .done : .unchanged
        case .resume:
            let effects = await driver.decide(.resumed(id))
            // The statistics keep the wait that the transfer's server requested, which ends as well.
            let hasChanged = effects.contains {
                $0 == .savePaused(id, false) || $0.isSavedRetry(of: id) || $0 == .saveStatistics
            }
            return hasChanged ? .done : .unchanged
        case .cancel:
            await driver.decide(.cancelled(id))
            return driver.scheduler.contains(id) ? .stopping : .done
        case .hold(let holder, let why):
            let hold = TransferHold(by: holder, why: why)
            await driver.decide(.held(id, by: holder, why: why), saving: [.held(id, hold)])
            return .done
        case .release:
            await driver.decide(.released(id), saving: [.held(id, nil)])
            return .done
        }
    }

    // MARK: Specifications

    /// Returns the specification of an unfinished transfer.
    ///
    /// - Throws: `TransferStoreError` if no unfinished transfer has this ID, or if the transfer cannot be read.
    func specification(of id: TransferID) async throws -> TransferSpecification {
        if let specification = driver.records[id]?.specification { return specification }
        // The store alone decides. The scheduler lacks a transfer while the queue, or a batch of submissions, enters it.
        guard let stored = try await store.transfers([id]).first, stored.ending == nil else {
            throw TransferStoreError(
                code: .noSuchTransfer,
                message: "Transfer \(id) does not exist or has ended, so it cannot be changed.")
        }
        return stored.specification
    }

    /// Saves a change, replies to the caller, and passes the change to the scheduler.
    func carryOut(
        _ change: TransferChange, of id: TransferID, _ reply: CheckedContinuation<Void, any Error>
    ) async {
        do {
            var specification = try await specification(of: id)
            let (traits, url) = (try change.applied(to: specification.traits), specification.url)
            if let location = change.location { try location.apply(to: &specification) }
            guard traits != specification.traits || url != specification.url else { return reply.resume() }
            specification.traits = traits
            if let location = change.location { location.apply(to: &specification.traits) }
            let isMoved = specification.url != url
            try await store.commit([.respecified(id, specification)])
            driver.updates.report(id, .changed(specification, isMoved: isMoved), at: driver.alarm.now())
            reply.resume()
            early.change(id, specification.traits)
            guard driver.scheduler.contains(id) else { return }
            driver.records[id]?.specification = specification
            await driver.decide(.changed(id, specification.traits))
            // A pause stops the attempt at the old URL and ends the wait after its failure.
            if isMoved, await driver.decide(.paused(id)).contains(.savePaused(id, true)) {
                await driver.decide(.resumed(id))
            }
            await driver.saveAndPerform()
        } catch {
            reply.resume(throwing: error)
        }
    }

    /// Saves an answer to a login, replies to the caller, and notifies the scheduler.
    func carryOut(
        _ answer: ChallengeResponse, of id: TransferID, _ reply: CheckedContinuation<Void, any Error>
    ) async {
        do {
            guard let record = driver.records[id], let origin = record.challenges.first?.origin else {
                throw ChallengeAnswerError(id: id)
            }
            var specification = try await specification(of: id)
            specification.challengeResponses.removeAll { $0.origin == origin }
            specification.challengeResponses.append(
                StoredChallengeResponse(origin: origin, answer: answer, bytes: record.resume?.offset ?? 0))
            try await store.commit([.respecified(id, specification)])
            reply.resume()
            driver.records[id]?.specification = specification
            driver.records[id]?.challenges = []
            await driver.handle(.appResponded(id))
        } catch {
            reply.resume(throwing: error)
        }
    }

    // MARK: Questions

    /// Returns the challenges of a transfer that waits for its app to answer a login.
    func challenges(of id: TransferID) -> [AuthenticationChallenge] { driver.records[id]?.challenges ?? [] }

    /// Returns the relaunch limiters of all apps whose delay is not 0, with the apps' names and the time of the
    /// reading.
    func relaunchDelays() -> (delays: [(app: String, delay: RelaunchLimiter.Explanation)], at: ClockReading) {
        let now = driver.alarm.now()
        return (driver.scheduler.relaunchDelays(at: now), now)
    }

    /// Returns the current state of the budgets of metered bytes.
    func budgets() -> [BudgetStatus] {
        driver.scheduler.budgets.statuses(at: driver.alarm.now().wall, localTime: driver.scheduler.localTime)
    }
}

extension Explanation {
    /// The codes of the wait reasons. The codes differ if the reasons differ in kind.
    var codes: [String] { reasons.map(\.reason.code) }
}

extension Effect {
    fileprivate func isSavedRetry(of transfer: TransferID) -> Bool {
        if case .saveRetry(transfer, _) = self { true } else { false }
    }
}
