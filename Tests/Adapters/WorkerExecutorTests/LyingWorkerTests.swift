// SPDX-License-Identifier: Apache-2.0
import ExecutorTrials
import Foundation
import Glibc
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import WorkerBench

@testable import TransferFiles
@testable import WorkerExecutor

/// C11: whatever a worker says, its parent uses the transfer's own paths and does not block.
@Suite("A worker that lies (C11)", .timeLimit(.minutes(3)))
struct LyingWorkerTests {
    private static let ready = WorkerMessage.ready(
        version: WireForm.version, isRepaired: true, warning: nil, WorkerConfinement.offered)
    private static let server = ServerFile(url: "http://h/../../../etc/passwd", status: 200)

    /// Runs a transfer in a worker that sends `messages` a number of times, and then `bytes`, instead of working.
    private func outcome(
        _ messages: [WorkerMessage], bytes: [UInt8] = [], times: Int = 1, name: String? = "file",
        body: (WorkerBench, ExecutorOutcome) throws -> Void
    ) async throws {
        let root = NSTemporaryDirectory() + "transfer-liar-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: root) }
        let liar = URL(fileURLWithPath: WorkerBench.program).deletingLastPathComponent()
            .appendingPathComponent("HostileWorker").path
        let speech = try messages.reduce(into: [UInt8]()) { $0 += try WireForm.frame($1) } + bytes
        try Data(speech).write(to: URL(fileURLWithPath: root + "/speech"))
        // The worker begins after the configuration, the limits, and the start order.
        let script = "#!/bin/sh\nexec '\(liar)' lie '\(root)/speech' 3 \(times)\n"
        try Data(script.utf8).write(to: URL(fileURLWithPath: root + "/worker"))
        chmod(root + "/worker", 0o755)
        let bench = try WorkerBench(root: root, program: .at(path: root + "/worker")) { $0.patienceSeconds = 1 }
        var job = bench.job(1, "http://127.0.0.1:1/f")
        var specification = job.specification
        specification.destination.name = name
        job = TransferJob(id: job.id, specification: specification, resume: nil)
        let outcome = await bench.start(job).outcome()
        try body(bench, outcome)
        await bench.executor.shutdown()
    }

    private func finished(_ path: String) -> WorkerMessage {
        let file = CompletedFile(path: path, bytes: 1, modified: 1, validator: nil)
        return .report(TransferID(1), .ended(.finished(TransferCompletion(status: 200, file: file))))
    }

    @Test("paths that it reports are not believed: neither of finished files nor of partial ones")
    func paths() async throws {
        try await outcome([Self.ready, finished("/etc/passwd")]) { _, outcome in
            #expect(outcome.failure?.cause == .executorLost, "\(outcome)")
        }
        let resume = ResumePoint(
            path: "/etc/passwd", offset: -5, total: .max, validator: nil, bootID: "x", fileNumber: 7,
            extents: [Extent(start: 5, end: 9), Extent(start: 3, end: .min), Extent(start: 10, end: 20)])
        try await outcome([Self.ready, .report(TransferID(1), .ended(.stopped(resume)))]) { bench, outcome in
            let kept = try #require(outcome.resume)
            #expect(kept.path.hasPrefix(bench.root + "/partial/1-"))
            #expect(kept.offset == 0 && kept.total == 1 << 53 && kept.bootID == "" && kept.fileNumber == nil)
            #expect(kept.extents == [Extent(start: 5, end: 9)])
        }
    }

    @Test("names with ways out of the folder become safe ones, and the file stays in its destination")
    func names() async throws {
        var server = Self.server
        server.disposition =
            "attachment; filename=\"../../\(String(repeating: "n", count: 5000))/..\\.ssh/authorized_keys\""
        let messages: [WorkerMessage] = [
            Self.ready, .file(TransferID(1), .open(server)), .file(TransferID(1), .adopt(nil, size: 0)),
        ]
        // The worker is silent for so long that it is killed, which ends the attempt.
        try await outcome(messages, name: nil) { bench, outcome in
            #expect(outcome.failure?.cause == .executorLost)
            let names = try FileManager.default.contentsOfDirectory(atPath: bench.root + "/out")
            #expect(names == ["authorized_keys"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: bench.root).sorted().contains("out"))
        }
    }

    @Test("a request for another transfer's files, or more often than one attempt needs, ends it")
    func strangers() async throws {
        for messages: [WorkerMessage] in [
            [Self.ready, .file(TransferID(2), .open(Self.server))],
            [Self.ready, .file(TransferID(1), .open(Self.server)), .file(TransferID(1), .open(Self.server))],
            [Self.ready] + Array(repeating: .file(TransferID(1), .remove), count: 3),
        ] {
            try await outcome(messages) { bench, outcome in
                #expect(outcome.failure?.message.contains("not its own") == true, "\(outcome)")
                #expect(bench.executor.processNumbers.isEmpty)
            }
        }
    }

    @Test("a flood of reports, requests and garbage is bounded and ends with the worker")
    func floods() async throws {
        let progress = WorkerMessage.report(TransferID(1), .progressed(bytes: 1, total: nil))
        let told = try await reports(Array(repeating: progress, count: 20_000), times: 20)
        #expect(told < 10_000)
        try await outcome([Self.ready], bytes: [0xff, 0xff, 0xff, 0x7f], times: 1) { bench, outcome in
            #expect(outcome.failure?.cause == .executorLost)
            #expect(bench.log.lines.contains { $0.contains("was announced") }, "\(bench.log.lines)")
        }
        try await outcome([Self.ready], bytes: [8, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]) { _, outcome in
            #expect(outcome.failure?.cause == .executorLost)
        }
        // The worker does not read its answers. Its parent waits no longer than for any other worker.
        let prober = Array(repeating: Self.ready, count: 5000)
        try await outcome(prober, times: 20) { bench, outcome in
            #expect(outcome.failure?.cause == .executorLost)
            #expect(bench.log.lines.filter { $0.contains("confined") }.count == 1)
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
            configuration: URLSessionExecutorConfiguration(partialDirectory: "/nonexistent"))
        var count = 0
        for round in 0..<times {
            for message in messages {
                guard case .report(_, let report) = message, budget.take(now: UInt64(round) * 100_000_000) else {
                    continue
                }
                if case .progressed(bytes: 1, total: nil) = files.checked(report) { count += 1 }
            }
        }
        return count
    }
}
