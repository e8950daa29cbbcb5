// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
import TransferScheduling

/// The actor of an engine. Receives messages from the inbox one after another, decides each message, saves the
/// changes, and performs the effects.
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
    private(set) var hasSnapshot = false
    private var hasBegun = false
    /// The error that prevented reading the queue after the first snapshot. Ends the run.
    private var recoveryFailure: (any Error)?
    /// The callers that requested the wait reasons of a transfer before the first snapshot.
    private var awaitingExplanations: [(id: TransferID, reply: CheckedContinuation<Explanation?, Never>)] = []
    private var sleep = SleepAnnouncement()

    /// Creates a loop over the components of an engine.
    init(
        inbox: Inbox, store: any TransferStore, conditions: any ConditionSource, driver: sending SchedulerDriver
    ) {
        (self.inbox, self.store, conditionSource) = (inbox, store, conditions)
        self.driver = driver
        early = EarlyQueue(store: store, driver: driver)
        reports = AttemptReports(driver: driver)
    }

    /// Runs until a shutdown is requested. A second call returns immediately.
    func run() async throws {
        guard !hasBegun else { return }
        hasBegun = true
        // The work runs in its own task, because a canceled task can neither read a stream nor save. The cancellation
        // arrives as a message, so the shutdown follows the normal path.
        let lifetime = Task { try await runUntilShutdown() }
        try await withTaskCancellationHandler {
            try await lifetime.value
        } onCancel: { [inbox] in
            inbox.put(.shutDown)
        }
    }

    private func runUntilShutdown() async throws {
        let snapshots = conditionSource.snapshots()
        let signals = driver.alarm.signals()
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await driver.restoreStatistics(from: store)) } catch { outcome = .failure(error) }
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
                await processMessages()
                group.cancelAll()
            }
        case .failure:
            // These callers sent a message before the engine failed to start.
            inbox.close()
            for message in await inbox.receive() { refuse(message) }
        }
        driver.alarm.set(nil)
        await conditionSource.stop()
        await store.close()
        driver.replies.refuse()
        driver.updates.continuation.finish()
        try outcome.get()
        if let recoveryFailure { throw recoveryFailure }
        if let storeError = driver.writer.storeError { throw storeError }
    }

    // MARK: The inbox

    /// Handles the messages until a shutdown is requested. Every message before the shutdown receives its reply.
    private func processMessages() async {
        while true {
            let messages = await inbox.receive()
            for (index, message) in messages.enumerated() {
                switch message {
                case .shutDown, .executorEnded:
                    inbox.putBack(messages[(index + 1)...])
                    await driver.saveAndPerform()
                    return await windDown()
                case .report(let id, let attempt, let report):
                    await reports.receive(report, of: id, attempt: attempt)
                case .unreadable(let id, let attempt):
                    await reports.failUnreadable(id, attempt: attempt)
                case .conditions, .alarm:
                    // A stop must not wait for pending saves.
                    await receive(message)
                case .submit, .change, .answer, .policy, .budgets, .action, .command, .explain, .ping:
                    await driver.saveAndPerform()
                    await receive(message)
                }
                if recoveryFailure != nil {
                    // Only a part of the queue was read, so no further message is handled.
                    inbox.putBack(messages[(index + 1)...])
                    return await windDown()
                }
            }
            await driver.saveAndPerform()
            await allowSleepIfIdle()
        }
    }

    /// Handles a message that is not a report. Returns after its changes are saved and its effects are performed.
    private func receive(_ message: Message) async {
        switch message {
        case .conditions(let snapshot):
            driver.updates.continuation.yield(.conditions(snapshot))
            sleep.receive(snapshot.sleep)
            await driver.handle(.conditionsChanged(snapshot))
            if !hasSnapshot {
                hasSnapshot = true
                await enterQueue()
                resumeAwaitingExplanations()
            }
            driver.saveStatisticsIfDue()
        case .alarm(let signal):
            await driver.handle(.woken)
            // If the statistics were saved before the clock was set, a later run would count the step as elapsed
            // time.
            if signal == .wallClockSet { driver.saveStatisticsLater() } else { driver.saveStatisticsIfDue() }
        case .submit(let submission):
            await receive(submission)
        case .change(let id, let change, let continuation):
            await carryOut(change, of: id, continuation)
        case .answer(let id, let answer, let continuation):
            await carryOut(answer, of: id, continuation)
        case .policy(let policy, let reply):
            await driver.decide(by: policy)
            reply?.resume()
        case .budgets(let limits):
            await carryOut(limits)
        case .action(let request):
            await carryOut(request)
        case .explain(let id, let reply):
            // No explanation is possible before the first snapshot. The reply about an unknown transfer can be sent
            // immediately.
            if !hasSnapshot, await early.stored(id) != nil {
                awaitingExplanations.append((id, reply))
            } else {
                reply.resume(returning: explanation(of: id))
            }
        case .ping(let reply):
            reply.resume()
        case .command(let event):
            if hasSnapshot || !early.receive(event) { await carryOut(event) }
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
        let requested = early.removeRequested()
        driver.receive(RecoveredTransfers(requested.changed))
        for event in requested.new { await driver.decide(event) }
        await driver.handle(.woken)
        if !requested.watched.isEmpty { await watch(requested.watched, true) }
    }

    private func enter(_ batch: consuming RecoveredTransfers) { driver.receive(early.sift(batch)) }

    /// Lets the machine go to sleep as soon as nothing would be lost. A store with an error does not keep the machine
    /// awake.
    private func allowSleepIfIdle() async {
        guard let announced = sleep.pending, driver.scheduler.isIdle, driver.hasNothingPending else { return }
        await driver.writer.commit(driver.currentStatistics())
        await driver.writer.flush()
        sleep.acknowledge(announced)
        conditionSource.readyToSleep()
    }

    // MARK: Shutdown

    /// Stops all attempts and saves the reports of their ends.
    private func windDown() async {
        driver.isShuttingDown = true
        resumeAwaitingExplanations()
        let attempts = driver.attempts
        // The kernel takes up to 20 ms to close the watches of files (inotify_release waits for a grace period), so the
        // source stops now unless an announced sleep must wait for a save.
        let conditions = conditionSource
        let mayStop = driver.scheduler.isIdle && driver.hasNothingPending
        async let stopped: Void = mayStop ? conditions.stop() : ()
        async let ended: Void = attempts.shutDown()
        while case let messages = await inbox.receive(), !messages.isEmpty {
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
            await driver.saveAndPerform()
        }
        await ended
        await stopped
        await driver.writer.commit(driver.currentStatistics())
        await driver.writer.flush()
    }

    /// Replies to a message that arrives after the shutdown, if a caller waits for the reply.
    private func refuse(_ message: Message) {
        switch message {
        case .submit(let submission): submission.reply.resume(throwing: EngineEndedError())
        case .change(_, _, let reply), .answer(_, _, let reply): reply.resume(throwing: EngineEndedError())
        case .action(let request): request.reply.resume(throwing: EngineEndedError())
        case .policy(_, let reply): reply?.resume()
        case .ping(let reply): reply.resume()
        case .explain(let id, let reply): reply.resume(returning: explanation(of: id))
        case .conditions, .alarm, .command, .budgets, .report, .unreadable, .shutDown, .executorEnded:
            break  // No caller waits.
        }
    }

    // MARK: Questions

    /// Returns the reasons why a transfer waits, or `nil` if no unfinished transfer has this ID.
    func explanation(of id: TransferID) -> Explanation? {
        driver.scheduler.explanation(of: id, at: driver.alarm.now())
    }

    /// Returns the reasons why unfinished transfers wait, without the past waiting times.
    func explanations(of ids: [TransferID], limit: Int) -> ExplanationBatch {
        driver.scheduler.explanations(of: ids, at: driver.alarm.now(), limit: limit)
    }

    /// Replies to the callers that waited for the first snapshot or for the end of the engine.
    private func resumeAwaitingExplanations() {
        let waiting = awaitingExplanations
        awaitingExplanations = []
        for (id, reply) in waiting { reply.resume(returning: explanation(of: id)) }
    }
}
