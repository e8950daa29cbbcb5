// SPDX-License-Identifier: Apache-2.0
internal import TransferEngine
internal import TransferModel

/// An attempt with all of its reports.
struct ObservedAttempt: Sendable {
    let job: TransferJob
    /// The size of the file on the server.
    let size: Int64
    private let observed = Observed<ExecutorReport>()

    init(job: TransferJob, size: Int64) {
        self.job = job
        self.size = size
    }

    var reports: [ExecutorReport] { observed.elements }
    var isFinished: Bool { reports.contains { $0.outcome != nil } }

    /// Adds a report.
    func record(_ report: ExecutorReport) { observed.add(report) }

    /// Waits for the reports to meet the condition. Returns false if the time limit passes first.
    func waits(atMost limit: Duration, until isMet: @escaping @Sendable ([ExecutorReport]) -> Bool) async -> Bool {
        await observed.wait(atMost: limit, until: isMet)
    }

    /// Returns the outcome of the attempt, or `nil` if the attempt does not end within the time limit.
    func outcome(atMost limit: Duration) async -> ExecutorOutcome? {
        _ = await waits(atMost: limit) { $0.contains { $0.outcome != nil } }
        return reports.compactMap(\.outcome).first
    }

    /// Throws if the reports violate a rule that applies to every attempt.
    func verifyReports() throws {
        let reports = reports
        let name = "transfer \(job.id)"
        let ends = reports.count { $0.outcome != nil }
        try expectEqual(ends, 1, "ends of \(name) in \(reports)")
        try expect(reports.last?.outcome != nil, "\(name) reported something after its end: \(reports)")
        var last = job.resume?.offset ?? 0
        var durable = last
        var (hasCheckpoint, hasResponse) = (false, false)
        for report in reports {
            switch report {
            case .progressed(let bytes, let total):
                try expect(bytes >= last, "\(name) went back from \(last) to \(bytes) bytes")
                try expect(bytes <= size, "\(name) reported \(bytes) bytes of a file of \(size)")
                try expect(total == nil || total == size, "\(name) reported a total of \(total ?? 0), not \(size)")
                try expect(hasCheckpoint || bytes <= last, "\(name) reported body bytes before the first checkpoint")
                last = bytes
            case .checkpointed(let point):
                try expect(point.validator != nil, "\(name) reported a checkpoint without the server's validator")
                try expect(point.offset <= size, "\(name) reported \(point.offset) durable bytes of a file of \(size)")
                try expect(point.offset >= durable, "\(name) lost durable bytes: from \(durable) to \(point.offset)")
                (durable, hasCheckpoint) = (point.offset, true)
            case .responded:
                try expect(!hasResponse && !hasCheckpoint, "\(name) reported its first response too late, or twice")
                hasResponse = true
            case .restarted:
                (last, durable, hasCheckpoint) = (0, 0, false)
            case .ended(.finished):
                try expect(hasCheckpoint, "\(name) finished without a checkpoint before the body")
            case .ended(let outcome):
                try expect((outcome.resume?.offset ?? 0) >= durable, "\(name) ended with fewer bytes than were durable")
            }
        }
    }
}

extension ExecutorReport {
    var outcome: ExecutorOutcome? { if case .ended(let outcome) = self { outcome } else { nil } }
    var progress: Int64? { if case .progressed(let bytes, _) = self { bytes } else { nil } }
}

extension ExecutorOutcome {
    var isStopped: Bool { if case .stopped = self { true } else { false } }
    var resume: ResumePoint? {
        switch self {
        case .stopped(let resume), .failed(_, let resume), .storageLow(_, _, let resume), .challenged(_, let resume):
            resume
        case .finished: nil
        }
    }
}
