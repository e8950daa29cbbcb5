// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxClock
import SQLiteStore
import TransferEngine
import TransferPolicy
import TransferScheduling
import URLSessionExecutor

/// Carries a plan out: puts the parts together, runs the engine and tells what happens.
struct GetRun {
    let plan: GetPlan
    let alarm: LinuxAlarm

    /// Runs until every transfer is over or somebody interrupts.
    ///
    /// - Throws: `UsageError` before anything has started.
    func run() async throws -> ExitStatus {
        let directory = plan.stateDirectory + "/get"
        try PrivateFolder.make(directory)
        let locks = try TransferLocks(directory: directory)
        defer { withExtendedLifetime(locks) {} }
        try takeLocks(locks)
        let reporter = GetReporter(plan: plan, localTime: LocalTimeRules(current: alarm.now().wall))
        let store: SQLiteStore
        do {
            store = try SQLiteStore(
                SQLiteStoreConfiguration(path: directory + "/queue.sqlite", scope: .keys(plan.items.map(\.key))))
        } catch {
            throw UsageError("\(error)")
        }
        let (known, new) = try await prepare(store)
        let engine = TransferEngine(
            store: store, executor: try makeExecutor(partials: directory + "/partial"),
            conditions: makeConditions(), alarm: alarm, policy: plan.policy,
            savesLearned: plan.assumptions == nil, seed: plan.seed)
        for (id, item) in known {
            reporter.add(id, item.specification)
            engine.watch(id)
        }
        let hook = plan.onComplete.map { CompletionCommand(command: $0) }
        let stop: @Sendable () -> Void = {
            engine.shutDown()
            hook?.end()
        }
        let interruption = Interruption(handler: stop)
        Console.whenReaderIsGone(stop)
        if plan.isVerbose { reporter.note("seed \(plan.seed), state in \(directory)") }
        let outcome: Outcome
        do {
            defer { reporter.end() }
            outcome = try await drive(engine, store: new, hook: hook, reporter: reporter, stop: stop)
        }
        if let signal = interruption.signal {
            reporter.note(
                outcome.isComplete
                    ? "interrupted while the --on-complete command ran"
                    : "interrupted: \(plan.outlook)")
            return signal == SIGTERM ? .terminated : .interrupted
        }
        if Console.hasLostReader, !outcome.isComplete {
            reporter.note("nobody reads the output any more: \(plan.outlook)")
            return .interrupted
        }
        if let answer = outcome.answer, let trouble = plan.hand(over: answer) {
            reporter.note(trouble)
            return .failed
        }
        return outcome.anyFailed ? .failed : .done
    }

    /// How far it came.
    private struct Outcome {
        /// Whether every transfer is over.
        var isComplete = false
        /// Whether any transfer, or the command that follows it, failed.
        var anyFailed = false
        /// What the server answered an upload with.
        var answer: ServerAnswer?
    }

    /// Runs the engine, hands over what is new and follows the updates until all are over.
    ///
    /// - Throws: `UsageError` where the queue cannot be used, `TransferStoreError` where a transfer could not be saved.
    private func drive(
        _ engine: TransferEngine, store new: [GetPlan.Item], hook: CompletionCommand?, reporter: GetReporter,
        stop: @escaping @Sendable () -> Void
    ) async throws -> Outcome {
        let (ended, endings) = AsyncStream.makeStream(of: TransferUpdate.self)
        // Each child tells whether something failed that is not told as an update.
        return try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await engine.run()
                return false
            }
            group.addTask {
                do {
                    try await Self.handOver(new, to: engine, reporter: reporter)
                } catch {
                    // Nothing would ever end the wait for a transfer that was not taken.
                    stop()
                    throw error
                }
                return false
            }
            if let hook { group.addTask { await Self.follow(ended, with: hook, reporter: reporter) } }
            var outcome = Outcome()
            var left = plan.items.count
            for await update in engine.updates {
                reporter.take(update)
                guard case .transfer(let transfer) = update, transfer.isEnd else { continue }
                endings.yield(transfer)
                outcome.anyFailed = outcome.anyFailed || transfer.isFailure
                if case .finished(let completion) = transfer.kind { outcome.answer = completion.answer }
                left -= 1
                if left == 0 { engine.shutDown() }
            }
            endings.finish()
            outcome.isComplete = left == 0
            do {
                for try await hasFailed in group { outcome.anyFailed = outcome.anyFailed || hasFailed }
            } catch let error as TransferStoreError where error.isAboutTheFile {
                throw UsageError("\(error)")
            }
            return outcome
        }
    }

    private static func handOver(
        _ items: [GetPlan.Item], to engine: TransferEngine, reporter: GetReporter
    ) async throws {
        for item in items {
            do {
                let id = try await engine.submit(item.specification, key: item.key, watching: true)
                reporter.add(id, item.specification)
            } catch is EngineEndedError {
                return  // Interrupted: what was not handed over yet is named again by the same command.
            }
        }
    }

    /// Runs the command for each transfer that is over, one at a time, while others go on.
    ///
    /// - Returns: whether it failed for any.
    private static func follow(
        _ ended: AsyncStream<TransferUpdate>, with hook: CompletionCommand, reporter: GetReporter
    ) async -> Bool {
        var anyFailed = false
        for await update in ended {
            guard await !hook.run(update, specification: reporter.specification(of: update.id)) else { continue }
            reporter.note("the --on-complete command failed for transfer \(update.id)")
            anyFailed = true
        }
        return anyFailed
    }

    // MARK: The queue

    private func takeLocks(_ locks: TransferLocks) throws {
        for item in plan.items {
            guard let owner = try locks.take(key: item.key) else { continue }
            let url = TransferSpecification.redacted(url: item.specification.url)
            let what =
                item.specification.upload.map { "uploading \($0.path) to \(url); wait for it" }
                ?? "fetching \(url) to the same place; wait for it, or give another destination"
            throw UsageError("process \(owner) is already \(what)")
        }
    }

    /// What the store already knows of the plan goes on under its number; a finished file is remembered, so that only
    /// a changed one is fetched again.
    private func prepare(
        _ store: SQLiteStore
    ) async throws -> (known: [(TransferID, GetPlan.Item)], new: [GetPlan.Item]) {
        var known: [(TransferID, GetPlan.Item)] = []
        var new: [GetPlan.Item] = []
        for var item in plan.items {
            guard let stored = try await Self.ask(await store.latest(forKey: item.key)) else {
                new.append(item)
                continue
            }
            switch stored.ending {
            case nil:
                // Dates that relax with age count from the first command, not from the latest.
                item.specification.traits.submitted = stored.specification.traits.submitted
                item.specification.completedBefore = stored.specification.completedBefore
                try await Self.ask(
                    await store.commit([
                        .respecified(stored.id, item.specification), .suspended(stored.id, false),
                        .retried(stored.id, nil),
                    ]))
                known.append((stored.id, item))
            case .completed(_, keeping: let kept?), .failed(_, keeping: let kept?):
                // An earlier run gave up with bytes in hand: a new transfer goes on from them.
                let id = try await Self.ask(await store.newIdentifier())
                let adopted = StoredTransfer(
                    id: id, specification: item.specification, resume: kept, key: item.key)
                try await Self.ask(await store.commit([.inserted(adopted)]))
                known.append((id, item))
            case .completed(let completion, keeping: nil):
                item.specification.completedBefore = completion.file
                new.append(item)
            case .failed, .cancelled:
                new.append(item)
            }
        }
        return (known, new)
    }

    private static func ask<Value>(_ question: @autoclosure () async throws -> Value) async throws -> Value {
        do {
            return try await question()
        } catch let error as TransferStoreError {
            throw UsageError("\(error)")
        }
    }

    // MARK: Parts

    private func makeExecutor(partials: String) throws -> URLSessionExecutor {
        var configuration = URLSessionExecutorConfiguration(partialDirectory: partials)
        if let userAgent = plan.userAgent { configuration.userAgent = userAgent }
        configuration.rateLimit = plan.rateLimit
        configuration.caFile = plan.caFile
        configuration.proxy = plan.proxy
        do {
            return try URLSessionExecutor(configuration: configuration)
        } catch {
            throw UsageError("\(error)")
        }
    }

    private func makeConditions() -> any ConditionSource {
        let source = Parts.conditions(sysfsRoot: plan.sysfsRoot, alarm: alarm)
        guard let assumptions = plan.assumptions else { return source }
        return AssumingConditionSource(base: source, assumptions: assumptions)
    }
}

extension TransferUpdate {
    /// Whether the transfer is over.
    var isEnd: Bool {
        switch kind {
        case .finished, .failed, .cancelled: true
        case .waiting, .started, .progressed, .paused, .retrying: false
        }
    }

    /// Whether it is over without what was asked for.
    var isFailure: Bool {
        switch kind {
        case .finished(let completion): completion.isFailure
        case .failed, .cancelled: true
        case .waiting, .started, .progressed, .paused, .retrying: false
        }
    }
}

extension TransferStoreError {
    /// Whether the state file itself cannot be used: then another --state-dir helps, and nothing else.
    fileprivate var isAboutTheFile: Bool {
        switch code {
        case .notWritable, .corrupt, .newerSchema: true
        case .diskFull, .noSuchTransfer, .other: false
        }
    }
}
