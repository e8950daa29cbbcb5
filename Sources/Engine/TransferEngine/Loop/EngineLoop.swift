// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
import TransferScheduling

/// The one actor of an engine: takes messages from the inbox, one after the other, and has each decided, saved and done.
///
/// Reports that came while something was being saved are decided one after the other and saved together.
actor EngineLoop {
    let inbox: Inbox
    let store: any TransferStore
    private let conditionSource: any ConditionSource
    let driver: SchedulerDriver
    let reports: AttemptReports
    let early: EarlyQueue
    /// Whether somebody has looked at the machine: transfers may start.
    private(set) var hasLooked = false
    private var hasBegun = false
    /// Why the queue could not be read after the first look; ends the run.
    private var recoveryFailure: (any Error)?
    /// Who wants to know why a transfer waits, before anybody has looked at the machine.
    private var awaitingExplanations: [(id: TransferID, reply: CheckedContinuation<Explanation?, Never>)] = []
    private var sleep = SleepAnnouncement()

    /// A loop over the parts of one engine.
    init(
        inbox: Inbox, store: any TransferStore, conditions: any ConditionSource, driver: sending SchedulerDriver
    ) {
        (self.inbox, self.store, conditionSource) = (inbox, store, conditions)
        self.driver = driver
        early = EarlyQueue(store: store, driver: driver)
        reports = AttemptReports(driver: driver)
    }

    /// Runs until the end is asked for, once.
    func run() async throws {
        guard !hasBegun else { return }
        hasBegun = true
        // A task of its own, because a cancelled one can read no stream and save nothing: the cancellation comes in as a
        // message, and the end takes the same way as any other.
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
            // Those who asked for something before the engine failed to start.
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

    /// Takes the messages until the end is asked for; every message that came before it is answered.
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
                    // What has to stop must not wait for what is still to be saved.
                    await take(message)
                case .submit, .change, .answer, .policy, .budgets, .action, .command, .explain, .ping:
                    await driver.settle()
                    await take(message)
                }
                if recoveryFailure != nil {
                    // Nothing of a queue that is known in part is carried out.
                    inbox.putBack(messages[(index + 1)...])
                    return await wind()
                }
            }
            await driver.settle()
            await letSleep()
        }
    }

    /// Takes one message that is no report; what it leads to is saved and done on return.
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
            // A record of a clock that is set afterwards would take the step for time that went by.
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
            // Before the first look nothing can be said. Of a transfer that nobody handed over no look is needed.
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
            break  // The reader's own affair.
        }
    }

    /// Hands the queue to the scheduler as it streams in, with what was asked for meanwhile. What starts first is decided
    /// when all of it is there.
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

    /// Lets the machine go to sleep as soon as nothing would be lost; a store in trouble does not keep it awake.
    private func letSleep() async {
        guard let announced = sleep.pending, driver.scheduler.isIdle, driver.isSettled else { return }
        await driver.writer.commit(driver.learnedNow())
        await driver.writer.flush()
        sleep.answer(announced)
        conditionSource.readyToSleep()
    }

    // MARK: The end

    /// Stops all attempts and saves what their ends report.
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

    /// Answers a message that comes too late, if somebody waits for the answer.
    private func refuse(_ message: Message) {
        switch message {
        case .submit(let submission): submission.reply.resume(throwing: EngineEndedError())
        case .change(_, _, let reply), .answer(_, _, let reply): reply.resume(throwing: EngineEndedError())
        case .action(let request): request.reply.resume(throwing: EngineEndedError())
        case .policy(_, let reply), .ping(let reply): reply.resume()
        case .explain(let id, let reply): reply.resume(returning: explanation(of: id))
        case .conditions, .alarm, .command, .budgets, .report, .unreadable, .shutDown, .executorEnded:
            break  // Nobody waits.
        }
    }

    // MARK: Questions

    /// Why a transfer waits now; nil where there is none of that number, or it is over.
    func explanation(of id: TransferID) -> Explanation? {
        driver.scheduler.explanation(of: id, at: driver.alarm.now())
    }

    /// Answers those who waited for the first look, or for the end.
    private func answerAwaitingExplanations() {
        let waiting = awaitingExplanations
        awaitingExplanations = []
        for (id, reply) in waiting { reply.resume(returning: explanation(of: id)) }
    }
}
