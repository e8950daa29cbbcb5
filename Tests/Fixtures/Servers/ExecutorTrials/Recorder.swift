// SPDX-License-Identifier: Apache-2.0
import Synchronization
public import TransferEngine
public import TransferModel

/// Keeps the reports of an attempt, and lets a test wait for what it is about.
public final class Recorder: Sendable {
    private struct Waiter: Sendable {
        var isMet: @Sendable ([ExecutorReport]) -> Bool
        var continuation: CheckedContinuation<Void, Never>
    }
    private struct State: Sendable {
        /// All so far.
        public var reports: [ExecutorReport] = []
        var waiters: [Waiter] = []
    }
    private let state = Mutex(State())

    /// Nothing yet.
    public init() {}

    /// What an executor is to call.
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

    /// All so far.
    public var reports: [ExecutorReport] { state.withLock { $0.reports } }

    /// Waits until the reports so far fulfil the condition.
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

    /// The end, once it has come.
    public func outcome() async -> ExecutorOutcome {
        await wait { $0.contains { $0.outcome != nil } }
        return reports.compactMap(\.outcome).first ?? .stopped(nil)
    }

    /// The resume points that were reported.
    public var checkpoints: [ResumePoint] {
        reports.compactMap { if case .checkpointed(let point) = $0 { point } else { nil } }
    }
    /// How often it began anew.
    public var restarts: Int { reports.count { $0 == .restarted } }
    /// Whether the end was reported.
    public var isOver: Bool { reports.contains { $0.outcome != nil } }
}

extension ExecutorReport {
    /// The end, if it is that.
    public var outcome: ExecutorOutcome? { if case .ended(let outcome) = self { outcome } else { nil } }
    /// The bytes so far, if it tells of them.
    public var progress: Int64? { if case .progressed(let bytes, _) = self { bytes } else { nil } }
}

extension ExecutorOutcome {
    /// The complete answer, if it is that.
    public var completion: TransferCompletion? { if case .finished(let completion) = self { completion } else { nil } }
    /// The failure, if it is that.
    public var failure: TransferFailure? { if case .failed(let failure, _) = self { failure } else { nil } }
    /// What there is to continue from.
    public var resume: ResumePoint? {
        switch self {
        case .stopped(let resume), .failed(_, let resume), .storageLow(_, _, let resume), .challenged(_, let resume):
            resume
        case .finished: nil
        }
    }
}
