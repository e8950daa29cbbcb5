// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TransferEngine
import TransferModel

/// A recorder of an attempt's reports that checks the rules for reports.
final class HostileReports: Sendable {
    private let reports = Mutex<[ExecutorReport]>([])
    private let stream: AsyncStream<ExecutorOutcome>
    private let continuation: AsyncStream<ExecutorOutcome>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    var add: @Sendable (ExecutorReport) -> Void {
        { [self] report in
            reports.withLock { $0.append(report) }
            if case .ended(let outcome) = report { continuation.yield(outcome) }
        }
    }

    /// Waits for the attempt's outcome. Returns `nil` if no outcome arrives in time.
    func outcome(within patience: Duration) async -> ExecutorOutcome? {
        await withTaskGroup { [stream] group in
            group.addTask { () -> ExecutorOutcome? in
                for await outcome in stream { return outcome }
                return nil
            }
            group.addTask { () -> ExecutorOutcome? in
                try? await Task.sleep(for: patience)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
    }

    /// The last resume point reported as durable.
    var lastCheckpoint: ResumePoint? {
        reports.withLock { $0 }.reversed().lazy.compactMap { report in
            if case .checkpointed(let resume) = report { resume } else { nil }
        }.first
    }

    /// The rule violations: reports after the end, missing or repeated ends, and progress beyond the total.
    var problems: [String] {
        let reports = reports.withLock { $0 }
        var problems: [String] = []
        let ends = reports.indices.filter { if case .ended = reports[$0] { true } else { false } }
        if ends != [reports.count - 1] { problems.append("\(ends.count) ends, or a report after the end") }
        for report in reports {
            if case .progressed(let bytes, let total?) = report, bytes > total {
                problems.append("progress of \(bytes) of \(total)")
            }
        }
        return problems
    }
}
