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
        try Self.makePrivateFolder(directory)
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
        for (id, item) in known { reporter.add(id, item.specification) }
        let engine = TransferEngine(
            store: store, executor: try makeExecutor(partials: directory + "/partial"),
            conditions: makeConditions(), alarm: alarm, policy: plan.policy, seed: plan.seed)
        let interruption = Interruption { engine.shutDown() }
        if plan.isVerbose { reporter.note("seed \(plan.seed), state in \(directory)") }
        let failed = try await drive(engine, store: new, known: known.count, reporter: reporter)
        reporter.end()
        if let signal = interruption.signal {
            reporter.note("interrupted: partial files are kept, the same command continues them")
            return signal == SIGTERM ? .terminated : .interrupted
        }
        return failed ? .failed : .done
    }

    /// Runs the engine, hands over what is new and follows the updates until all are over.
    ///
    /// - Returns: whether any transfer failed.
    private func drive(
        _ engine: TransferEngine, store new: [GetPlan.Item], known: Int, reporter: GetReporter
    ) async throws -> Bool {
        let onComplete = plan.onComplete.map(CompletionCommand.init(command:))
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await engine.run() }
            group.addTask {
                for item in new {
                    do {
                        let id = try await engine.submit(item.specification, key: item.key)
                        reporter.add(id, item.specification)
                    } catch is EngineEndedError {
                        return  // Interrupted: what was not handed over yet is named again by the same command.
                    }
                }
            }
            var left = plan.items.count
            var anyFailed = false
            for await update in engine.updates {
                reporter.take(update)
                guard case .transfer(let transfer) = update, transfer.isEnd else { continue }
                left -= 1
                if let onComplete,
                    await !onComplete.run(transfer, specification: reporter.specification(of: transfer.id))
                {
                    reporter.note("the --on-complete command failed for transfer \(transfer.id)")
                    anyFailed = true
                }
                anyFailed = anyFailed || transfer.isFailure
                if left == 0 { engine.shutDown() }
            }
            do {
                try await group.waitForAll()
            } catch let error as TransferStoreError {
                throw UsageError("\(error)")
            }
            return anyFailed
        }
    }

    // MARK: The queue

    private func takeLocks(_ locks: TransferLocks) throws {
        for item in plan.items {
            guard let owner = try locks.take(key: item.key) else { continue }
            let url = TransferSpecification.redacted(url: item.specification.url)
            throw UsageError(
                "process \(owner) is already fetching \(url) to the same place; wait for it, or give another destination"
            )
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

    private static func makePrivateFolder(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw UsageError("the state folder \(path) cannot be made (\(error)); give another --state-dir")
        }
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

    /// Whether it is over without what was asked for: a 4xx or 5xx answer is no file.
    var isFailure: Bool {
        switch kind {
        case .finished(let completion): completion.status >= 400
        case .failed, .cancelled: true
        case .waiting, .started, .progressed, .paused, .retrying: false
        }
    }
}
