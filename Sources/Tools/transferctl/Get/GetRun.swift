// SPDX-License-Identifier: Apache-2.0
import CurlTransport
import Foundation
import HTTPExecutor
import LinuxClock
import LinuxConditions
import LinuxKernel
import SQLiteStore
import ToolSupport
import TransferEngine
import TransferFiles
import TransferModel
import TransferPolicy
import WorkerExecutor

/// The execution of a plan: creates the components, runs the engine, and reports progress.
struct GetRun {
    let plan: GetPlan
    let alarm: LinuxAlarm

    /// Runs until every transfer has ended or the user interrupts.
    ///
    /// - Throws: `UsageError` before anything has started, or `UnsuccessfulRun` afterward.
    @discardableResult
    func run() async throws -> TransferFollower {
        try AdapterFactory.checkOverrides()
        let directory = plan.stateDirectory + "/get"
        try PrivateFolder.make(directory)
        let locks = try TransferLocks(directory: directory)
        defer { withExtendedLifetime(locks) {} }
        try acquireLocks(locks)
        let localTime = LocalTimeRules(current: alarm.now().wall)
        let reporter = Reporter(PlanOutput(plan: plan, localTime: localTime).renderer, isVerbose: plan.isVerbose)
        // Created first, because its worker takes time to load, and so does the queue.
        let executor = try makeExecutor(partials: directory + "/partial", reporter: reporter)
        let store = try openStore(in: directory, reporter: reporter)
        try await AbandonedTransfers.remove(
            from: store, in: directory, locks: locks, continued: Set(plan.items.map(\.key)))
        let queue = try await GetQueue(plan, in: store)
        warnIfInsecure(reporter)
        let engine = TransferEngine(
            store: store, executor: executor, conditions: try makeConditions(), alarm: alarm,
            configuration: plan.scheduling, policy: plan.policy, savesStatistics: plan.assumptions == nil,
            registry: queue.registry, seed: plan.seed)
        let service = EngineService(engine, localTime: localTime, explanationLimit: plan.explainedLimit)
        let completionCommand = plan.onComplete.map { CompletionCommand(command: $0) }
        let stop: @Sendable () -> Void = {
            engine.shutDown()
            completionCommand?.end()
        }
        let interruption = Interruption(handler: stop)
        defer { withExtendedLifetime(interruption) {} }
        Console.onReaderLoss(stop)
        if plan.isVerbose { reporter.showMessage("seed \(plan.seed), state in \(directory)") }
        if plan.isVerbose, plan.items.contains(where: \.ignoresNetworkConditions) {
            reporter.showMessage("the server is on this machine; conditions of the network do not apply")
        }
        let outcome: TransferFollower
        do {
            defer { reporter.end() }
            outcome = try await runEngine(
                engine, service, submitting: queue, completionCommand: completionCommand,
                output: plan.streamsOutput ? streamedOutput(of: store) : nil, reporter: reporter, stop: stop)
        }
        let status = exitStatus(of: outcome, reporter)
        guard status == .done else { throw UnsuccessfulRun(status: status, failure: outcome.firstFailure) }
        return outcome
    }

    /// Writes the result of a run that was not interrupted, reports how the run ended, and returns the exit status.
    private func exitStatus(of outcome: TransferFollower, _ reporter: Reporter) -> ExitStatus {
        if let signal = Interruption.signal {
            reporter.showMessage(
                outcome.isComplete && plan.onComplete != nil
                    ? "interrupted while the --on-complete command was running"
                    : "interrupted: \(plan.interruptionHint)")
            return signal == SIGTERM ? .terminated : .interrupted
        }
        if Console.hasLostReader, !outcome.isComplete {
            reporter.showMessage("the output was closed: \(plan.interruptionHint)")
            return .interrupted
        }
        if let failure = writeResult(of: outcome) {
            reporter.showMessage(failure)
            return .failed
        }
        return outcome.anyFailed ? .failed : .done
    }

    /// Writes the file of `--output -`, or the server's response to an upload.
    ///
    /// - Returns: A description of the error, or `nil` on success.
    private func writeResult(of outcome: TransferFollower) -> String? {
        if let path = plan.outputFile {
            let output = FinishedOutput(path: path)
            if plan.streamsOutput {
                if outcome.isComplete { output.remove() }
                return nil
            }
            return outcome.anyFailed ? nil : output.write()
        }
        return outcome.answer.flatMap { plan.write(response: $0) }
    }

    /// Runs the engine, submits new transfers and follows the service until all transfers have ended.
    ///
    /// - Throws: `UsageError` if the queue cannot be used, or `TransferStoreError` if a transfer could not be saved.
    private func runEngine(
        _ engine: TransferEngine, _ service: some WatchedTransferManager, submitting queue: GetQueue,
        completionCommand: CompletionCommand?, output: StreamedOutput?, reporter: Reporter,
        stop: @escaping @Sendable () -> Void
    ) async throws -> TransferFollower {
        let (ended, endings) = AsyncStream.makeStream(of: TransferStatus.self)
        let (changed, changes) = AsyncStream.makeStream(of: ServiceUpdate.self)
        let updates = try await service.updates()
        // The result of each child is true if anything failed that no update reports.
        return try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await engine.run()
                return false
            }
            group.addTask {
                do {
                    try await submit(queue, to: service)
                } catch {
                    // Without this, the wait for a transfer that was not accepted would never end.
                    stop()
                    throw error
                }
                return false
            }
            if let completionCommand {
                group.addTask { await Self.follow(ended, with: completionCommand, reporter: reporter) }
            }
            if let output {
                group.addTask { await Self.write(changed, to: output, reporter: reporter, stop: stop) }
            }
            var follower = TransferFollower(count: plan.items.count) { endings.yield($0) }
            await follower.follow(updates) { update in
                reporter.show(update)
                if output != nil { changes.yield(update) }
            }
            changes.finish()
            if follower.isComplete { engine.shutDown() }
            // The queue may still report errors.
            for await update in updates { reporter.show(update) }
            endings.finish()
            do {
                for try await hasFailed in group where hasFailed { follower.anyFailed = true }
            } catch let error as TransferStoreError where error.isAboutTheFile {
                throw UsageError("\(error)")
            }
            return follower
        }
    }

    /// The number of transfers to submit at a time. The first transfers start while the others are still being
    /// submitted.
    private static let batch = 500

    private func submit(_ queue: GetQueue, to service: some TransferManager) async throws {
        var rest = queue.newIndices[...]
        while !rest.isEmpty {
            let batch = rest.prefix(Self.batch)
            rest = rest.dropFirst(Self.batch)
            do {
                _ = try await service.submit(batch.map { queue.request($0, of: plan) })
            } catch is EngineEndedError {
                return  // The next run of the same command submits the rest.
            } catch let error as RefusedTransferError {
                throw UsageError("\(error)")
            }
        }
    }

    /// Runs the command for each transfer that has ended, one at a time, while others continue.
    ///
    /// - Returns: Whether the command failed for any transfer.
    private static func follow(
        _ ended: AsyncStream<TransferStatus>, with completionCommand: CompletionCommand, reporter: Reporter
    ) async -> Bool {
        var anyFailed = false
        for await status in ended where await !completionCommand.run(status) {
            reporter.showMessage("the --on-complete command failed for transfer \(status.id)")
            anyFailed = true
        }
        return anyFailed
    }

    /// Writes the bytes of a download to standard output as they arrive.
    ///
    /// - Returns: Whether the output failed.
    private static func write(
        _ updates: AsyncStream<ServiceUpdate>, to output: StreamedOutput, reporter: Reporter, stop: () -> Void
    ) async -> Bool {
        var output = output
        for await update in updates {
            guard case .changed(let status, let event?) = update else { continue }
            guard let failure = await output.record(status, event) else { continue }
            reporter.showMessage(failure)
            stop()
            return true
        }
        return false
    }

    /// Returns the output of the only transfer, whose partial file the store knows.
    private func streamedOutput(of store: SQLiteStore) -> StreamedOutput {
        let key = plan.items.first?.key ?? ""
        return StreamedOutput { try? await store.latest(forKeys: [key])[key]?.resume?.path }
    }

    private func acquireLocks(_ locks: TransferLocks) throws {
        guard let (key, owner) = try locks.acquire(keys: plan.items.map(\.key)) else { return }
        let specification = plan.items.first { $0.key == key }?.specification
        let url = RedactedURL.text(of: specification?.url ?? "")
        let description =
            specification?.upload.map { "uploading \($0.path) to \(url); wait until it ends" }
            ?? "downloading \(url) to the same destination; wait until it ends, or use another destination"
        throw UsageError("process \(owner) is already \(description)")
    }

    private func warnIfInsecure(_ reporter: Reporter) {
        guard plan.acceptsAnyCertificate else { return }
        reporter.showMessage(
            "warning: --insecure accepts any certificate; others may read and change what is transferred")
    }

    // MARK: Components

    func openStore(in directory: String, reporter: Reporter) throws -> SQLiteStore {
        let (path, keys) = (directory + "/queue.sqlite", plan.items.map(\.key))
        var configuration = SQLiteStoreConfiguration(path: path, scope: .keys(keys))
        configuration.repairsDamage = true
        // A record of a completed file saves fetching the file again.
        configuration.retention = SQLiteStoreConfiguration.Retention(age: .seconds(365 * 86_400), count: 100_000)
        do {
            let store = try SQLiteStore(configuration)
            if let loss = store.loss { reporter.showMessage("\(loss)") }
            return store
        } catch {
            throw UsageError("\(error)")
        }
    }

    private func makeExecutor(partials: String, reporter: Reporter) throws -> any TransferExecutor {
        var configuration = HTTPExecutorConfiguration(partialDirectory: partials)
        if let userAgent = plan.userAgent { configuration.userAgent = userAgent }
        configuration.limits = plan.limits
        configuration.caFile = plan.caFile
        configuration.allowsLocalRedirects = plan.allowsLocalRedirects
        configuration.proxy = plan.proxy
        do {
            if plan.runsInProcess {
                return try HTTPExecutor(configuration: configuration, transport: .curl)
            }
            let executor = try WorkerExecutor(
                configuration: WorkerExecutorConfiguration(
                    executor: configuration, program: .thisProgram,
                    logger: InlineLogHandler.logger(isVerbose: plan.isVerbose) { reporter.showMessage($0) }))
            executor.warmUp()
            return executor
        } catch {
            throw UsageError("\(error)")
        }
    }

    func makeConditions() throws -> any ConditionSource {
        let prices = try plan.prices()
        // No others, because a source may be a command.
        let conditions = try OwnConditions.required(
            by: plan.items.flatMap { $0.specification.traits.constraints.custom })
        let source = AdapterFactory.conditions(sysfsRoot: plan.sysfsRoot, alarm: alarm, delaysSleep: true) {
            $0.prices = prices
            $0.customConditions = conditions
        }
        // Work that the user waits for is not held.
        let isUrgent = plan.items.allSatisfy { $0.specification.traits.kind == .userInitiated }
        let hold = HoldFile(in: plan.stateDirectory)
        let held: any ConditionSource = isUrgent ? source : HeldConditions(source, hold, alarm: alarm)
        guard let assumptions = plan.assumptions else { return held }
        return AdjustedConditions(held) { $0 = assumptions.applied(to: $0) }
    }
}

extension TransferStoreError {
    /// A Boolean value that indicates whether the state file itself is unusable. The remedy is another `--state-dir`.
    fileprivate var isAboutTheFile: Bool {
        switch code {
        case .notWritable, .corrupt, .newerSchema: true
        case .diskFull, .noSuchTransfer, .other: false
        }
    }
}
