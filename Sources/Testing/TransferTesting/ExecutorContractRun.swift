// SPDX-License-Identifier: Apache-2.0
internal import Synchronization
internal import TransferEngine
internal import TransferModel

/// A single run of a check of `TransferExecutorContract`. It starts attempts, waits for them, and keeps all of them.
final class ExecutorContractRun: Sendable {
    /// The number of bytes that the server sends before it stalls.
    private static let stallEnd: Int64 = 1_000_000
    /// The size of the whole file.
    private static let size: Int64 = 3_000_000

    private let harness: any TransferExecutorHarness
    private let timeout: Duration
    private let started = Mutex<[ObservedAttempt]>([])

    init(harness: any TransferExecutorHarness, timeout: Duration) {
        self.harness = harness
        self.timeout = timeout
    }

    /// All attempts that have been started.
    var attempts: [ObservedAttempt] { started.withLock { $0 } }

    private var executor: any TransferExecutor { harness.executor }

    // MARK: Checks

    func fetches(_ sizes: [Int64]) async throws {
        for (index, size) in sizes.enumerated() {
            try await expectFinished(start(Int64(index) + 1, .whole(size: size)))
        }
    }

    func stopKeepsBytes() async throws {
        _ = try await stoppedInTheMiddle(1)
    }

    func needlessStops() async throws {
        executor.stop(TransferID(77))
        let attempt = try await stalled(1)
        executor.stop(TransferID(77))
        try expect(!attempt.isFinished, "stopping an unknown transfer ended another transfer")
        executor.stop(attempt.job.id)
        executor.stop(attempt.job.id)
        let outcome = try await end(attempt)
        executor.stop(attempt.job.id)
        try expect(outcome.isStopped, "the stopped attempt ended as \(outcome)")
        try await expectFinished(start(2, .whole(size: Self.size)))
        try expectEqual(attempt.reports.last, .ended(outcome), "the last report after two more stops")
    }

    func continues() async throws {
        let first = try await stoppedInTheMiddle(1)
        let reported = first.attempt.reports
        let second = start(1, .whole(size: Self.size), resume: first.resume)
        try await expectFinished(second)
        let hasRestarted = second.reports.contains { if case .restarted = $0 { true } else { false } }
        try expect(!hasRestarted, "the attempt started over although nothing had changed")
        for case .checkpointed(let point) in second.reports {
            try expect(
                point.offset >= first.resume.offset,
                "a checkpoint at \(point.offset) after a resume at \(first.resume.offset)")
        }
        try expectEqual(first.attempt.reports, reported, "the reports of the previous attempt")
    }

    func discards() async throws {
        let (attempt, resume) = try await stoppedInTheMiddle(1)
        var job = attempt.job
        job.resume = resume
        executor.discard(job)
        try expectEqual(harness.size(ofFileAt: resume.path), nil, "the size of a discarded partial file")
        executor.discard(job)
        try expectEqual(harness.size(ofFileAt: resume.path), nil, "the size of a file discarded twice")
    }

    func shutsDown() async throws {
        var running: [ObservedAttempt] = []
        for id in Int64(1)...3 { running.append(try await stalled(id)) }
        await executor.shutdown()
        for attempt in running {
            try expect(attempt.isFinished, "\(attempt.job.id) had not ended when shutdown returned")
            let outcome = try await end(attempt)
            try expect(outcome.isStopped, "\(attempt.job.id) ended as \(outcome) in a shutdown")
        }
        let resume = try await end(running[0]).resume
        let late = start(1, .whole(size: Self.size), resume: resume)
        try expectEqual(try await end(late), .stopped(resume), "the end of a start after shutdown")
        let new = start(4, .whole(size: Self.size))
        try expectEqual(try await end(new), .stopped(nil), "the end of a new transfer's start after shutdown")
        await executor.shutdown()
    }

    func measures() async throws {
        let specification = harness.job(TransferID(1), .whole(size: 1), resume: nil).specification
        guard let space = executor.availableSpace(for: specification) else {
            throw ContractFailure("availableSpace returned nil for an existing folder")
        }
        try expect(space >= 0, "availableSpace returned \(space)")
    }

    // MARK: Helpers

    private func start(_ id: Int64, _ delivery: TransferDelivery, resume: ResumePoint? = nil) -> ObservedAttempt {
        let attempt = ObservedAttempt(
            job: harness.job(TransferID(id), delivery, resume: resume), size: delivery.size)
        started.withLock { $0.append(attempt) }
        executor.start(attempt.job, reporting: attempt.record)
        return attempt
    }

    private func end(_ attempt: ObservedAttempt) async throws -> ExecutorOutcome {
        guard let outcome = await attempt.outcome(atMost: timeout) else {
            throw ContractFailure("\(attempt.job.id) did not end; reports: \(attempt.reports)")
        }
        return outcome
    }

    private func expectFinished(_ attempt: ObservedAttempt) async throws {
        let outcome = try await end(attempt)
        guard case .finished(let completion) = outcome, let file = completion.file else {
            throw ContractFailure("\(attempt.job.id) ended as \(outcome), not with a file")
        }
        try expectEqual(file.bytes, attempt.size, "the reported size of the finished file")
        try expectEqual(harness.size(ofFileAt: file.path), attempt.size, "the size of the finished file")
        try expect(harness.isRight(file, for: attempt.job.id), "the finished file differs from the server's file")
    }

    /// Starts an attempt and waits until the server has stalled.
    private func stalled(_ id: Int64) async throws -> ObservedAttempt {
        let attempt = start(id, .stalling(at: Self.stallEnd, size: Self.size))
        let came = await attempt.waits(atMost: timeout) { $0.contains { $0.progress == Self.stallEnd } }
        try expect(came, "progress did not reach \(Self.stallEnd); reports: \(attempt.reports)")
        return attempt
    }

    private func stoppedInTheMiddle(_ id: Int64) async throws -> (attempt: ObservedAttempt, resume: ResumePoint) {
        let attempt = try await stalled(id)
        executor.stop(attempt.job.id)
        let outcome = try await end(attempt)
        guard case .stopped(let resume?) = outcome else {
            throw ContractFailure("an attempt stopped after \(Self.stallEnd) bytes ended as \(outcome)")
        }
        try expectEqual(resume.offset, Self.stallEnd, "the offset of the resume point")
        try expect(resume.validator != nil, "the resume point has no validator, so no attempt can continue from it")
        let size = harness.size(ofFileAt: resume.path)
        try expect((size ?? -1) >= resume.offset, "the resume point has \(resume.offset) bytes, the file \(size ?? 0)")
        return (attempt, resume)
    }
}
