// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
import TransferScheduling

/// The actor of an engine. Takes messages from the inbox one after another, decides each one, saves the changes, and
/// performs the effects.
///
/// Reports that arrive during a commit are decided one after another and saved together.
actor EngineLoop {
    let inbox: Inbox
    let store: any TransferStore
    private let conditionSource: any ConditionSource
    let driver: SchedulerDriver
    let reports: AttemptReports
    let early: EarlyQueue
    /// A Boolean value that indicates whether the first snapshot of the conditions has arrived, so that transfers may
    /// start.
    private(set) var hasLooked = false
    private var hasBegun = false
    /// The error that prevented reading the queue after the first snapshot. Ends the run.
    private var recoveryFailure: (any Error)?
    /// The callers that asked why a transfer waits before the first snapshot arrived.
    private var awaitingExplanations: [(id: TransferID, reply: CheckedContinuation<Explanation?, Never>)] = []
    private var sleep = SleepAnnouncement()

    /// Creates a loop over the parts of an engine.
    init(
        inbox: Inbox, store: any TransferStore, conditions: any ConditionSource, driver: sending SchedulerDriver
    ) {
        (self.inbox, self.store, conditionSource) = (inbox, store, conditions)
        self.driver = driver
        early = EarlyQueue(store: store, driver: driver)
        reports = AttemptReports(driver: driver)
    }

    /// Runs until a shutdown is requested. A second call returns at once.
    func run() async throws {
        guard !hasBegun else { return }
        hasBegun = true
        // The work runs in its own task, because a cancelled task can neither read a stream nor save. The
        // cancellation arrives as a message, so the shutdown follows the normal path.
        let life = Task { try await live() }
        try await withTaskCancellationHandler {
            try await life.value
        } onCancel: { [inbox] in
            inbox.put(.shutDown)
        }
    }

    private func live() async throws {
        let snapshots = conditionSource.snapshots()
        let signals = driver.alarm.signals()
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await driver.readLearned(from: store)) } catch { outcome = .failure(error) }
        switch outcome {
        case .success:
            await withTaskGroup(of: Void.self) { group in
                group.addTask { [inbox] in
                    for await snapshot in snapshots { inbox.put(.conditions(snapshot)) }
                }
                group.addTask { [inbox] in
                    for await signal in signals { inbox.put(.alarm(signal)) }
                }
                group.addTask { [attempts = driver.attempts] in await attempts.carryOutMeasurements() }
                await work()
                group.cancelAll()
            }
        case .failure:
            // These callers sent a message before the engine failed to start.
            inbox.close()
            for message in await inbox.take() { refuse(message) }
        }
        driver.alarm.set(nil)
        await conditionSource.stop()
        await store.close()
        driver.ends.refuse()
        driver.updates.continuation.finish()
        try outcome.get()
        if let recoveryFailure { throw recoveryFailure }
        if let trouble = driver.writer.trouble { throw trouble }
    }

    // MARK: The inbox

    /// Handles the messages until a shutdown is requested. Every message before the shutdown is answered.
    private func work() async {
        while true {
            let messages = await inbox.take()
            for (index, message) in messages.enumerated() {
                switch message {
                case .shutDown, .executorEnded:
                    inbox.putBack(messages[(index + 1)...])
                    await driver.settle()
                    return await wind()
                case .report(let id, let attempt, let report):
                    await reports.take(report, of: id, attempt: attempt)
                case .unreadable(let id, let attempt):
                    await reports.giveUp(id, attempt: attempt)
                case .conditions, .alarm:
                    // A stop must not wait for pending saves.
                    await take(message)
                case .submit, .change, .answer, .policy, .budgets, .action, .command, .explain, .ping:
                    await driver.settle()
                    await take(message)
                }
                if recoveryFailure != nil {
                    // The queue is only partly known, so nothing more is carried out.
                    inbox.putBack(messages[(index + 1)...])
                    return await wind()
                }
            }
            await driver.settle()
            await letSleep()
        }
    }

    /// Handles a message that is not a report. Returns after its changes are saved and its effects are performed.
    private func take(_ message: Message) async {
        switch message {
        case .conditions(let snapshot):
            driver.updates.continuation.yield(.conditions(snapshot))
            sleep.take(snapshot.sleep)
            await driver.handle(.conditionsChanged(snapshot))
            if !hasLooked {
                hasLooked = true
                await enterQueue()
                answerAwaitingExplanations()
            }
            driver.saveLearnedIfDue()
        case .alarm(let signal):
            await driver.handle(.woken)
            // If the statistics were saved before the clock was set, a later run would count the step as elapsed
            // time.
            if signal == .wallClockSet { driver.saveLearnedLater() } else { driver.saveLearnedIfDue() }
        case .submit(let submission):
            await take(submission)
        case .change(let id, let change, let continuation):
            await carryOut(change, of: id, continuation)
        case .answer(let id, let answer, let continuation):
            await carryOut(answer, of: id, continuation)
        case .policy(let policy, let reply):
            await driver.decide(by: policy)
            reply.resume()
        case .budgets(let limits):
            await carryOut(limits)
        case .action(let request):
            await carryOut(request)
        case .explain(let id, let reply):
            // No answer is possible before the first snapshot. An unknown transfer can be answered at once.
            if !hasLooked, await early.stored(id) != nil {
                awaitingExplanations.append((id, reply))
            } else {
                reply.resume(returning: explanation(of: id))
            }
        case .ping(let reply):
            reply.resume()
        case .command(let event):
            if hasLooked || !early.take(event) { await carryOut(event) }
        case .report, .unreadable, .shutDown, .executorEnded:
            break  // The caller handles these messages.
        }
    }

    /// Passes the queue to the scheduler batch by batch, together with the early requests. The first starts are
    /// decided after the last batch.
    private func enterQueue() async {
        do {
            try await store.recover { [self] batch in await enter(batch) }
        } catch {
            recoveryFailure = error
            return
        }
        let asked = early.takeAsked()
        driver.take(RecoveredTransfers(asked.changed))
        for event in asked.new { await driver.decide(event) }
        await driver.handle(.woken)
        if !asked.watched.isEmpty { await watch(asked.watched, true) }
    }

    private func enter(_ batch: consuming RecoveredTransfers) { driver.take(early.sift(batch)) }

    /// Lets the machine go to sleep as soon as nothing would be lost. A store with an error does not keep the machine
    /// awake.
    private func letSleep() async {
        guard let announced = sleep.pending, driver.scheduler.isIdle, driver.isSettled else { return }
        await driver.writer.commit(driver.learnedNow())
        await driver.writer.flush()
        sleep.answer(announced)
        conditionSource.readyToSleep()
    }

    // MARK: Shutdown

    /// Stops all attempts and saves the reports of their ends.
    private func wind() async {
        driver.isWinding = true
        answerAwaitingExplanations()
        let attempts = driver.attempts
        async let ended: Void = attempts.shutDown()
        while case let messages = await inbox.take(), !messages.isEmpty {
            for message in messages {
                switch message {
                case .report(let id, let attempt, let report): await reports.save(report, of: id, attempt: attempt)
                case .unreadable(let id, _):
                    await driver.handle(.stopped(id, bytes: driver.records[id]?.resume?.bytes ?? 0))
                case .executorEnded: inbox.close()
                case .submit, .change, .answer, .action, .policy, .budgets, .explain, .ping, .conditions, .alarm,
                    .command, .shutDown:
                    refuse(message)
                }
            }
            await driver.settle()
        }
        await ended
        await driver.writer.commit(driver.learnedNow())
        await driver.writer.flush()
    }

    /// Answers a message that arrives after the shutdown, if a caller waits for the answer.
    private func refuse(_ message: Message) {
        switch message {
        case .submit(let submission): submission.reply.resume(throwing: EngineEndedError())
        case .change(_, _, let reply), .answer(_, _, let reply): reply.resume(throwing: EngineEndedError())
        case .action(let request): request.reply.resume(throwing: EngineEndedError())
        case .policy(_, let reply), .ping(let reply): reply.resume()
        case .explain(let id, let reply): reply.resume(returning: explanation(of: id))
        case .conditions, .alarm, .command, .budgets, .report, .unreadable, .shutDown, .executorEnded:
            break  // No caller waits.
        }
    }

    // MARK: Questions

    /// Returns the reasons why a transfer waits, or `nil` if no unfinished transfer has this number.
    func explanation(of id: TransferID) -> Explanation? {
        driver.scheduler.explanation(of: id, at: driver.alarm.now())
    }

    /// Answers the callers that waited for the first snapshot or for the end of the engine.
    private func answerAwaitingExplanations() {
        let waiting = awaitingExplanations
        awaitingExplanations = []
        for (id, reply) in waiting { reply.resume(returning: explanation(of: id)) }
    }
}
