// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxClock
import SQLiteStore
import ToolSupport
import TransferEngine
import TransferModel
import TransferScheduling
import TransferWorker
import URLSessionExecutor

/// Carries a plan out: puts the parts together, runs the engine and tells what happens.
struct GetRun {
    let plan: GetPlan
    let alarm: LinuxAlarm

    /// Runs until every transfer is over or somebody interrupts.
    ///
    /// - Throws: `UsageError` before anything has started.
    func run() async throws -> ExitStatus {
        try Parts.checkOverrides()
        let directory = plan.stateDirectory + "/get"
        try PrivateFolder.make(directory)
        let locks = try TransferLocks(directory: directory)
        defer { withExtendedLifetime(locks) {} }
        try takeLocks(locks)
        let reporter = GetReporter(plan: plan, localTime: LocalTimeRules(current: alarm.now().wall))
        // First, since its worker takes its time to load, and the queue takes its own.
        let executor = try makeExecutor(partials: directory + "/partial", reporter: reporter)
        let store = try openStore(in: directory, reporter: reporter)
        let queue = try await prepare(store)
        let engine = TransferEngine(
            store: store, executor: executor,
            conditions: try makeConditions(), alarm: alarm, configuration: plan.scheduling, policy: plan.policy,
            savesLearned: plan.assumptions == nil, seed: plan.seed)
        for (id, place) in queue.known {
            reporter.add(id, at: place)
        }
        let window = WatchWindow(size: plan.watchedAtOnce)
        for id in window.add(queue.known.map(\.id)) { engine.watch(id) }
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
            outcome = try await drive(
                engine, handing: queue, watching: window, hook: hook, reporter: reporter, stop: stop)
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
        _ engine: TransferEngine, handing queue: Queue, watching window: WatchWindow, hook: CompletionCommand?,
        reporter: GetReporter, stop: @escaping @Sendable () -> Void
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
                    try await handOver(queue, to: engine, watching: window)
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
                for id in window.ended(transfer.id) { engine.watch(id) }
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

    /// How many transfers are handed over at a time: the first begin while the rest is still on its way.
    private static let batch = 500

    private func handOver(
        _ queue: Queue, to engine: TransferEngine, watching window: WatchWindow
    ) async throws {
        let service = EngineService(engine, localTime: LocalTimeRules(current: alarm.now().wall))
        var rest = queue.new[...]
        while !rest.isEmpty {
            let batch = rest.prefix(Self.batch)
            rest = rest.dropFirst(Self.batch)
            let requests = batch.map { place -> TransferRequest in
                var specification = plan.items[place].specification
                specification.completedBefore = queue.finished[place]
                return TransferRequest(specification, key: plan.items[place].key)
            }
            do {
                let ids = try await service.submit(requests)
                for id in window.add(ids) { engine.watch(id) }
            } catch is EngineEndedError {
                return  // Interrupted: what was not handed over yet is named again by the same command.
            } catch let error as RefusedTransferError {
                throw UsageError("\(error)")
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
        guard let (key, owner) = try locks.take(keys: plan.items.map(\.key)) else { return }
        let item = plan.items.first { $0.key == key }
        let url = TransferSpecification.redacted(url: item?.specification.url ?? "")
        let what =
            item?.specification.upload.map { "uploading \($0.path) to \(url); wait for it" }
            ?? "fetching \(url) to the same place; wait for it, or give another destination"
        throw UsageError("process \(owner) is already \(what)")
    }

    /// The plan's transfers, by their place in it: thousands of them are not to be held twice.
    private struct Queue {
        /// Those that the store has, and their numbers there.
        var known: [(id: TransferID, place: Int)] = []
        /// Those that are to be handed over.
        var new: [Int] = []
        /// What an earlier run finished of the new ones.
        var finished: [Int: CompletedFile] = [:]
    }

    /// What the store already knows of the plan goes on under its number; a finished file is remembered, so that only
    /// a changed one is fetched again.
    private func prepare(_ store: SQLiteStore) async throws -> Queue {
        let latest = try await Self.ask(await store.latest(forKeys: plan.items.map(\.key)))
        var queue = Queue()
        var adopted: [(place: Int, resume: ResumePoint)] = []
        var changes: [StoreChange] = []
        for (place, item) in plan.items.enumerated() {
            guard let stored = latest[item.key] else {
                queue.new.append(place)
                continue
            }
            switch stored.ending {
            case nil:
                var specification = item.specification
                // Dates that relax with age count from the first command, not from the latest.
                specification.traits.submitted = stored.specification.traits.submitted
                specification.completedBefore = stored.specification.completedBefore
                changes += [
                    .respecified(stored.id, specification), .suspended(stored.id, false), .retried(stored.id, nil),
                ]
                queue.known.append((stored.id, place))
            case .completed(_, keeping: let kept?), .failed(_, keeping: let kept?):
                // An earlier run gave up with bytes in hand: a new transfer goes on from them.
                adopted.append((place, kept))
            case .completed(let completion, keeping: nil):
                queue.finished[place] = completion.file
                queue.new.append(place)
            case .failed, .cancelled:
                queue.new.append(place)
            }
        }
        for (place, resume) in adopted {
            let item = plan.items[place]
            changes.append(.submitted(NewTransfer(item.specification, key: item.key), resume: resume))
        }
        let ids = try await Self.ask(await store.commit(changes))
        queue.known += zip(ids, adopted).map { id, adopted in (id, adopted.place) }
        return queue
    }

    private static func ask<Value>(_ question: @autoclosure () async throws -> Value) async throws -> Value {
        do {
            return try await question()
        } catch let error as TransferStoreError {
            throw UsageError("\(error)")
        }
    }

    // MARK: Parts

    private func openStore(in directory: String, reporter: GetReporter) throws -> SQLiteStore {
        var configuration = SQLiteStoreConfiguration(
            path: directory + "/queue.sqlite", scope: .keys(plan.items.map(\.key)))
        configuration.repairsDamage = true
        // What is remembered of finished files spares fetching them again.
        configuration.retention = SQLiteStoreConfiguration.Retention(age: .seconds(365 * 86_400), count: 100_000)
        do {
            let store = try SQLiteStore(configuration)
            if let loss = store.loss { reporter.note("\(loss)") }
            return store
        } catch {
            throw UsageError("\(error)")
        }
    }

    private func makeExecutor(partials: String, reporter: GetReporter) throws -> any TransferExecutor {
        var configuration = URLSessionExecutorConfiguration(partialDirectory: partials)
        if let userAgent = plan.userAgent { configuration.userAgent = userAgent }
        configuration.limits = plan.limits
        configuration.caFile = plan.caFile
        configuration.proxy = plan.proxy
        do {
            if plan.runsInProcess {
                let executor = try URLSessionExecutor(configuration: configuration)
                if let warning = executor.repairWarning { reporter.note(warning) }
                return executor
            }
            let executor = try WorkerExecutor(
                configuration: WorkerExecutorConfiguration(
                    executor: configuration, program: .thisProgram,
                    logger: NoteLogHandler.logger(isVerbose: plan.isVerbose) { reporter.note($0) }))
            executor.warmUp()
            return executor
        } catch {
            throw UsageError("\(error)")
        }
    }

    private func makeConditions() throws -> any ConditionSource {
        let source = try Parts.conditions(sysfsRoot: plan.sysfsRoot, alarm: alarm, delaysSleep: true)
        guard let assumptions = plan.assumptions else { return source }
        return AssumingConditionSource(base: source, assumptions: assumptions)
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
