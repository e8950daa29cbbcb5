// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxClock
import LinuxKernel
import SQLiteStore
import Synchronization
import ToolSupport
import TransferEngine
import TransferFiles
import TransferModel

/// A rehearsal of a plan (`--dry-run`): the real scheduler decides about a copy of the queue, and nothing is sent.
struct DryRun {
    private let base: GetRun
    private var plan: GetPlan { base.plan }

    /// Creates a rehearsal of a run.
    init(_ base: GetRun) { self.base = base }

    /// Prints what would happen to each transfer, when, and why.
    ///
    /// - Throws: `UsageError` for the errors of the run that need no network.
    func run() async throws {
        try AdapterFactory.checkOverrides()
        let folder = NSTemporaryDirectory() + "/transferctl-dry-run-\(UUID().uuidString)"
        try PrivateFolder.make(folder)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for name in ["queue.sqlite", "queue.sqlite-wal"] {
            try? FileManager.default.copyItem(atPath: plan.stateDirectory + "/get/" + name, toPath: folder + "/" + name)
        }
        let localTime = LocalTimeRules(current: base.alarm.now().wall)
        let reporter = Reporter(FailureRenderer(), isVerbose: false)
        let store = try base.openStore(in: folder, reporter: reporter)
        let known = try await store.latest(forKeys: plan.items.map(\.key))
        // Leftovers of earlier runs are continued, but their state says nothing about this run before the engine has read it.
        try await store.commit(known.values.filter { $0.ending == nil }.map { .ended($0.id, .cancelled) })
        let requests = plan.items.map {
            TransferRequest(Self.next($0.specification, after: known[$0.key]), key: $0.key)
        }
        let engine = TransferEngine(
            store: store, executor: RehearsalExecutor(), conditions: try base.makeConditions(), alarm: base.alarm,
            configuration: plan.scheduling, policy: plan.policy, savesStatistics: false,
            registry: TransferRegistry(endedLimit: 0),
            seed: plan.seed)
        let service = EngineService(engine, localTime: localTime, explanationLimit: plan.items.count)
        let updates = service.updates()
        let forecasts = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await engine.run() }
            group.addTask {
                // A service of the system that hangs delays the conditions, and then there is no decision.
                try? await Task.sleep(for: .seconds(10))
                engine.shutDown()
            }
            let ids: [TransferID]
            do { ids = try await service.submit(requests) } catch let error as RefusedTransferError {
                throw UsageError("\(error)")
            }
            let forecasts = await Self.forecasts(of: Set(ids), updates)
            engine.shutDown()
            group.cancelAll()
            try await group.waitForAll()
            return ids.map { forecasts[$0] }
        }
        for (index, item) in plan.items.enumerated() {
            show(
                PlannedTransfer(
                    item.specification, forecast: forecasts[index], keptBytes: known[item.key]?.keptBytes ?? 0,
                    finished: PresentFile(requests[index].specification).either?.path,
                    isOutput: plan.outputFile != nil))
        }
    }

    private func show(_ transfer: PlannedTransfer) {
        if plan.style == .json { return JSONLine.print(transfer.fields) }
        Console.print(transfer.text)
    }

    /// Returns a transfer as the next run performs it after an earlier run.
    private static func next(
        _ specification: TransferSpecification, after earlier: StoredTransfer?
    ) -> TransferSpecification {
        var next = specification
        switch earlier?.ending {
        case nil:
            // Policies relax with age. The age counts from the first command.
            next.traits.submitted = earlier?.specification.traits.submitted ?? next.traits.submitted
            next.completedBefore = earlier?.specification.completedBefore
        case .completed(let completion, keeping: nil): next.completedBefore = completion.file
        case .completed, .failed, .cancelled: break
        }
        return next
    }

    /// Returns the first decision about each transfer. Ends early if the updates end.
    private static func forecasts(
        of ids: Set<TransferID>, _ updates: AsyncStream<ServiceUpdate>
    ) async -> [TransferID: Forecast] {
        var found: [TransferID: Forecast] = [:]
        for await update in updates where found.count < ids.count {
            guard case .changed(let status, let event?) = update, ids.contains(status.id) else { continue }
            switch event.kind {
            case .started: found[status.id] = .starts
            case .waiting(let explanation): found[status.id] = .waits(explanation)
            case .progressed, .restarted, .stopped, .retrying, .deadline, .ended: break
            }
            if found.count == ids.count { break }
        }
        return found
    }
}

/// The scheduler's decision about a transfer.
enum Forecast: Hashable, Sendable {
    /// The transfer starts at once.
    case starts
    /// The transfer waits.
    case waits(WaitExplanation)
}

extension StoredTransfer {
    /// The number of bytes that earlier runs left for a later one.
    fileprivate var keptBytes: Int64 {
        switch ending {
        case .completed(_, let kept?), .failed(_, let kept?): kept.bytes
        case nil: resume?.bytes ?? 0
        case .completed, .failed, .cancelled: 0
        }
    }
}

/// An executor that starts nothing. An attempt ends when it is stopped.
final class RehearsalExecutor: TransferExecutor {
    private let reports = Mutex<[TransferID: @Sendable (ExecutorReport) -> Void]>([:])

    func start(_ job: TransferJob, reporting report: @escaping @Sendable (ExecutorReport) -> Void) {
        reports.withLock { $0[job.id] = report }
    }

    func stop(_ id: TransferID) {
        reports.withLock { $0.removeValue(forKey: id) }?(.ended(.stopped(nil)))
    }

    func discard(_ job: TransferJob) {}

    func availableSpace(for specification: TransferSpecification) -> Int64? { nil }

    func shutdown() async {
        for id in reports.withLock({ Array($0.keys) }) { stop(id) }
    }
}
