// SPDX-License-Identifier: Apache-2.0
import Synchronization
public import TransferEngine
public import TransferModel

/// A recorder of an attempt's reports, on which a test can wait for a condition.
public final class Recorder: Sendable {
    private struct Waiter: Sendable {
        var isMet: @Sendable ([ExecutorReport]) -> Bool
        var continuation: CheckedContinuation<Void, Never>
    }
    private struct State: Sendable {
        /// All reports so far.
        public var reports: [ExecutorReport] = []
        var waiters: [Waiter] = []
    }
    private let state = Mutex(State())

    /// Creates an empty recorder.
    public init() {}

    /// The closure that an executor calls with each report.
    public var report: @Sendable (ExecutorReport) -> Void {
        { [self] report in
            let met = state.withLock { state -> [Waiter] in
                state.reports.append(report)
                let reports = state.reports
                let met = state.waiters.filter { $0.isMet(reports) }
                state.waiters.removeAll { $0.isMet(reports) }
                return met
            }
            for waiter in met { waiter.continuation.resume() }
        }
    }

    /// All reports so far.
    public var reports: [ExecutorReport] { state.withLock { $0.reports } }

    /// Waits until the reports so far meet a condition.
    public func wait(until isMet: @escaping @Sendable ([ExecutorReport]) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isNow = state.withLock { state in
                if isMet(state.reports) { return true }
                state.waiters.append(Waiter(isMet: isMet, continuation: continuation))
                return false
            }
            if isNow { continuation.resume() }
        }
    }

    /// Waits for the attempt to end and returns its outcome.
    public func outcome() async -> ExecutorOutcome {
        await wait { $0.contains { $0.outcome != nil } }
        return reports.compactMap(\.outcome).first ?? .stopped(nil)
    }

    /// The resume points reported so far.
    public var checkpoints: [ResumePoint] {
        reports.compactMap { if case .checkpointed(let point) = $0 { point } else { nil } }
    }
    /// The number of times that the attempt restarted from the beginning.
    public var restarts: Int { reports.count { if case .restarted = $0 { true } else { false } } }
    /// A Boolean value that indicates whether the attempt has ended.
    public var isEnded: Bool { reports.contains { $0.outcome != nil } }
}

extension ExecutorReport {
    /// The outcome, if this report is the end of the attempt.
    public var outcome: ExecutorOutcome? { if case .ended(let outcome) = self { outcome } else { nil } }
    /// The number of bytes transferred so far, if this report is about progress.
    public var progress: Int64? { if case .progressed(let bytes, _) = self { bytes } else { nil } }
}

extension ExecutorOutcome {
    /// The completion, if the transfer finished.
    public var completion: TransferCompletion? { if case .finished(let completion) = self { completion } else { nil } }
    /// The failure, if the transfer failed.
    public var failure: TransferFailure? { if case .failed(let failure, _) = self { failure } else { nil } }
    /// The resume point, if the transfer did not finish.
    public var resume: ResumePoint? {
        switch self {
        case .stopped(let resume), .failed(_, let resume), .storageLow(_, _, let resume), .challenged(_, let resume):
            resume
        case .finished: nil
        }
    }
}
