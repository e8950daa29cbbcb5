// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TransferEngine
import TransferModel
import TransferPolicy

/// A way for an executor to break its contract.
enum ExecutorFault: String, CaseIterable, Sendable {
    case reportsAfterEnd, endsTwice, goesBeyondTheTotal, goesBack, bodyBeforeCheckpoint, noValidator, neverEnds
    case forgetsBytes, promisesMoreThanOnDisk, stopsEverything, deafToStop
    case beginsAnew, keepsDiscarded, leavesAttemptsInShutdown, startsAfterShutdown, knowsNoSpace, tellsTheAnswerLate
}

/// A wrapper that adds a single fault to a correct executor.
final class FaultyExecutor: TransferExecutor {
    typealias Report = @Sendable (ExecutorReport) -> Void

    private struct State {
        var running: Set<TransferID> = []
        var isShutDown = false
    }

    private let inner: any TransferExecutor
    private let fault: ExecutorFault
    private let state = Mutex(State())

    init(_ inner: any TransferExecutor, fault: ExecutorFault) {
        self.inner = inner
        self.fault = fault
    }

    func start(_ job: TransferJob, reporting report: @escaping Report) {
        if fault == .startsAfterShutdown, state.withLock(\.isShutDown) {
            return report(.ended(.failed(TransferFailure(cause: .executorLost, message: "gone"), resume: nil)))
        }
        state.withLock { _ = $0.running.insert(job.id) }
        var job = job
        if fault == .beginsAnew { job.resume = nil }
        inner.start(job) { [fault] in Self.send($0, fault, report) }
    }

    func stop(_ id: TransferID) {
        switch fault {
        case .deafToStop: return
        case .stopsEverything:
            for other in state.withLock(\.running) { inner.stop(other) }
        default: inner.stop(id)
        }
    }

    func discard(_ job: TransferJob) { inner.discard(job) }

    func availableSpace(for specification: TransferSpecification) -> Int64? {
        fault == .knowsNoSpace ? nil : inner.availableSpace(for: specification)
    }

    func shutdown() async {
        state.withLock { $0.isShutDown = true }
        if fault != .leavesAttemptsInShutdown { await inner.shutdown() }
    }

    private static func send(_ what: ExecutorReport, _ fault: ExecutorFault, _ report: Report) {
        switch (fault, what) {
        case (.reportsAfterEnd, .ended):
            report(what)
            report(.progressed(bytes: 3_000_000, total: 3_000_000))
        case (.endsTwice, .ended):
            report(what)
            report(what)
        case (.neverEnds, .ended), (.bodyBeforeCheckpoint, .checkpointed):
            return
        case (.goesBeyondTheTotal, .progressed(let bytes, let total)):
            report(what)
            report(.progressed(bytes: bytes * 2 + 1, total: total))
        case (.goesBack, .progressed(let bytes, let total)):
            report(what)
            report(.progressed(bytes: bytes / 2, total: total))
        case (.tellsTheAnswerLate, .checkpointed):
            report(what)
            report(.responded(after: .seconds(1)))
        case (.noValidator, .checkpointed(var point)):
            point.validator = nil
            report(.checkpointed(point))
        case (.forgetsBytes, .ended(.stopped)): report(.ended(.stopped(nil)))
        case (.promisesMoreThanOnDisk, .ended(.stopped(var point?))):
            point.path += "-elsewhere"
            report(.ended(.stopped(point)))
        default: report(what)
        }
    }
}
