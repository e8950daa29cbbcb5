// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxClock
import LinuxKernel
import SQLiteStore
import Synchronization
import ToolSupport
import TransferEngine
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
        let queue = try await GetQueue(plan, in: store)
        let known = try await store.latest(forKeys: plan.items.map(\.key))
        let engine = TransferEngine(
            store: store, executor: RehearsalExecutor(), conditions: try base.makeConditions(), alarm: base.alarm,
            configuration: plan.scheduling, policy: plan.policy, savesStatistics: false, registry: queue.registry,
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
            let ids = try await submit(queue, known, to: service)
            let forecasts = await Self.forecasts(of: Set(ids.values), updates)
            engine.shutDown()
            group.cancelAll()
            try await group.waitForAll()
            return ids.mapValues { forecasts[$0] }
        }
        for (index, item) in plan.items.enumerated() {
            show(
                PlannedTransfer(
                    item.specification, forecast: forecasts[index] ?? nil, keptBytes: known[item.key]?.keptBytes ?? 0,
                    finished: queue.request(index, of: plan).specification.completedBefore?.path,
                    isOutput: plan.outputFile != nil))
        }
    }

    private func show(_ transfer: PlannedTransfer) {
        if plan.style == .json { return JSONLine.print(transfer.fields) }
        Console.print(transfer.text)
    }

    /// Submits the new transfers, and returns the IDs of all transfers by their index in the plan.
    private func submit(
        _ queue: GetQueue, _ known: [String: StoredTransfer], to service: some TransferManager
    ) async throws -> [Int: TransferID] {
        var ids: [Int: TransferID] = [:]
        for (index, item) in plan.items.enumerated() where !queue.newIndices.contains(index) {
            // A transfer that an earlier run gave up continues under a new ID, which only the registry knows.
            ids[index] =
                queue.registry.unfinishedNumbers { _ in true }.first { $0 == known[item.key]?.id }
                ?? queue.registry.unfinishedNumbers { _ in true }.first { id in
                    queue.registry.status(of: id)?.url == RedactedURL.text(of: item.specification.url)
                }
        }
        do {
            let new = try await service.submit(queue.newIndices.map { queue.request($0, of: plan) })
            for (index, id) in zip(queue.newIndices, new) { ids[index] = id }
        } catch let error as RefusedTransferError {
            throw UsageError("\(error)")
        }
        return ids
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
