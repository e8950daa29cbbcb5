// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TransferEngine
import TransferModel

/// Keeps an attempt's reports and holds them to their rules.
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

    /// The end; nil where none comes in time.
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

    /// What was on disk at last.
    var lastCheckpoint: ResumePoint? {
        reports.withLock { $0 }.reversed().lazy.compactMap { report in
            if case .checkpointed(let resume) = report { resume } else { nil }
        }.first
    }

    /// One end, at the end; progress that never exceeds the total.
    var problems: [String] {
        let reports = reports.withLock { $0 }
        var problems: [String] = []
        let ends = reports.indices.filter { if case .ended = reports[$0] { true } else { false } }
        if ends != [reports.count - 1] { problems.append("\(ends.count) ends, the first not the last report") }
        for report in reports {
            if case .progressed(let bytes, let total?) = report, bytes > total {
                problems.append("progress of \(bytes) of \(total)")
            }
        }
        return problems
    }
}
