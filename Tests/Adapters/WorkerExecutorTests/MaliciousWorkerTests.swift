// SPDX-License-Identifier: Apache-2.0
import ExecutorHarness
import Foundation
import Glibc
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import WorkerHarness

@testable import TransferFiles
@testable import WorkerExecutor

/// C11: whatever a worker says, its parent uses the transfer's own paths and does not block.
@Suite("Malicious workers (C11)", .timeLimit(.minutes(3)))
struct MaliciousWorkerTests {
    private static let ready = WorkerMessage.ready(
        version: WireFormat.version, WorkerConfinement.offered)
    private static let server = ServerFile(url: "http://h/../../../etc/passwd", status: 200)

    /// Runs a transfer in a worker that sends `messages` a number of times, and then `bytes`, instead of working.
    private func outcome(
        _ messages: [WorkerMessage], bytes: [UInt8] = [], times: Int = 1, name: String? = "file",
        body: (WorkerHarness, ExecutorOutcome) throws -> Void
    ) async throws {
        let root = NSTemporaryDirectory() + "transfer-liar-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: root) }
        let liar = URL(fileURLWithPath: WorkerHarness.program).deletingLastPathComponent()
            .appendingPathComponent("HostileWorker").path
        let speech = try messages.reduce(into: [UInt8]()) { $0 += try WireFormat.frame($1) } + bytes
        try Data(speech).write(to: URL(fileURLWithPath: root + "/speech"))
        // The worker begins after the configuration, the limits, and the start order.
        let script = "#!/bin/sh\nexec '\(liar)' lie '\(root)/speech' 3 \(times)\n"
        try Data(script.utf8).write(to: URL(fileURLWithPath: root + "/worker"))
        chmod(root + "/worker", 0o755)
        let fixture = try WorkerHarness(root: root, program: .at(path: root + "/worker")) { $0.silenceLimitSeconds = 1 }
        var job = fixture.job(1, "http://127.0.0.1:1/f")
        var specification = job.specification
        specification.destination.name = name
        job = TransferJob(id: job.id, specification: specification, resume: nil)
        let outcome = await fixture.start(job).outcome()
        try body(fixture, outcome)
        await fixture.executor.shutdown()
    }

    private func finished(_ path: String) -> WorkerMessage {
        let file = CompletedFile(path: path, bytes: 1, modified: 1, validator: nil)
        return .report(TransferID(1), .ended(.finished(TransferCompletion(status: 200, file: file))))
    }

    @Test("Reported paths of finished and partial files are not trusted")
    func paths() async throws {
        try await outcome([Self.ready, finished("/etc/passwd")]) { _, outcome in
            #expect(outcome.failure?.cause == .executorLost, "\(outcome)")
        }
        let resume = ResumePoint(
            path: "/etc/passwd", offset: -5, total: .max, validator: nil, bootID: "x", fileNumber: 7,
            extents: [Extent(start: 5, end: 9), Extent(start: 3, end: .min), Extent(start: 10, end: 20)])
        try await outcome([Self.ready, .report(TransferID(1), .ended(.stopped(resume)))]) { fixture, outcome in
            let kept = try #require(outcome.resume)
            #expect(kept.path.hasPrefix(fixture.root + "/partial/1-"))
            #expect(kept.offset == 0 && kept.total == 1 << 53 && kept.bootID == "" && kept.fileNumber == nil)
            #expect(kept.extents == [Extent(start: 5, end: 9)])
        }
    }

    @Test("Names that lead out of the folder are sanitized, and the file stays in its destination")
    func names() async throws {
        var server = Self.server
        server.disposition =
            "attachment; filename=\"../../\(String(repeating: "n", count: 5000))/..\\.ssh/authorized_keys\""
        let messages: [WorkerMessage] = [
            Self.ready, .file(TransferID(1), .open(server)), .file(TransferID(1), .adopt(nil, size: 0)),
        ]
        // The worker is silent for so long that it is killed, which ends the attempt.
        try await outcome(messages, name: nil) { fixture, outcome in
            #expect(outcome.failure?.cause == .executorLost)
            let names = try FileManager.default.contentsOfDirectory(atPath: fixture.root + "/out")
            #expect(names == ["authorized_keys"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.root).sorted().contains("out"))
        }
    }

    @Test("A request for another transfer's files, or too many requests, end the worker")
    func strangers() async throws {
        for messages: [WorkerMessage] in [
            [Self.ready, .file(TransferID(2), .open(Self.server))],
            [Self.ready, .file(TransferID(1), .open(Self.server)), .file(TransferID(1), .open(Self.server))],
            [Self.ready] + Array(repeating: .file(TransferID(1), .remove), count: 3),
        ] {
            try await outcome(messages) { fixture, outcome in
                #expect(outcome.failure?.message.contains("files of another transfer") == true, "\(outcome)")
                #expect(fixture.executor.processIDs.isEmpty)
            }
        }
    }

    @Test("A flood of reports, requests, and garbage is bounded and ends with the worker")
    func floods() async throws {
        let progress = WorkerMessage.report(TransferID(1), .progressed(bytes: 1, total: nil))
        let reportCount = try await reports(Array(repeating: progress, count: 20_000), times: 20)
        #expect(reportCount < 10_000)
        try await outcome([Self.ready], bytes: [0xff, 0xff, 0xff, 0x7f], times: 1) { fixture, outcome in
            #expect(outcome.failure?.cause == .executorLost)
            #expect(fixture.log.lines.contains { $0.contains("exceeds the limit") }, "\(fixture.log.lines)")
        }
        try await outcome([Self.ready], bytes: [8, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]) { _, outcome in
            #expect(outcome.failure?.cause == .executorLost)
        }
        // The worker does not read its responses. Its parent waits no longer than for any other worker.
        let prober = Array(repeating: Self.ready, count: 5000)
        try await outcome(prober, times: 20) { fixture, outcome in
            #expect(outcome.failure?.cause == .executorLost)
            #expect(fixture.log.lines.filter { $0.contains("confined") }.count == 1)
        }
    }

    /// Returns the number of reports of a flood that reach the engine.
    private func reports(_ messages: [WorkerMessage], times: Int) async throws -> Int {
        let traits = TransferTraits(kind: .normal, host: "h", submitted: WallTime(secondsSinceEpoch: 0))
        let specification = TransferSpecification(
            url: "http://h/", destination: Destination(directory: "/nonexistent", name: "f"), traits: traits)
        var budget = ReportBudget()
        let files = BrokeredFiles(
            job: TransferJob(id: TransferID(1), specification: specification, resume: nil),
            configuration: HTTPExecutorConfiguration(partialDirectory: "/nonexistent"))
        var count = 0
        for round in 0..<times {
            for message in messages {
                guard case .report(_, let report) = message, budget.accept(now: UInt64(round) * 100_000_000) else {
                    continue
                }
                if case .progressed(bytes: 1, total: nil) = files.checked(report) { count += 1 }
            }
        }
        return count
    }
}
