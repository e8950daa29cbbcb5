// SPDX-License-Identifier: Apache-2.0
package import ExecutorHarness
import Foundation
import Glibc
package import HostileServer
package import Logging
import Synchronization
package import TransferEngine
import TransferFiles
package import TransferModel
import TransferPolicy
package import WorkerExecutor

/// A test harness with a folder, an executor in worker processes, and the executor's log.
package final class WorkerHarness: Sendable {
    package let root: String
    package let executor: WorkerExecutor
    package let log = LogRecorder()

    /// The path of the worker program: the value of TRANSFER_WORKER_PROGRAM, for example an installed program, or the
    /// program that is built next to the tests.
    package static let program: String = {
        if let named = ProcessInfo.processInfo.environment["TRANSFER_WORKER_PROGRAM"] { return named }
        let tests = URL(fileURLWithPath: Bundle.main.executablePath ?? CommandLine.arguments[0])
        return tests.deletingLastPathComponent().appendingPathComponent("transfer-worker").path
    }()

    package init(
        root: String? = nil, program: WorkerProgram = .at(path: WorkerHarness.program),
        configure: (inout WorkerExecutorConfiguration) -> Void = { _ in }
    ) throws {
        self.root = root ?? NSTemporaryDirectory() + "transfer-worker-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: self.root, withIntermediateDirectories: true)
        var executor = HTTPExecutorConfiguration(partialDirectory: self.root + "/partial")
        executor.storageFloorBytes = 0
        executor.progressInterval = .zero
        let log = log
        var configuration = WorkerExecutorConfiguration(
            executor: executor, program: program, logger: Logger(label: "test") { _ in log })
        configure(&configuration)
        self.executor = try WorkerExecutor(configuration: configuration)
    }

    /// Creates a harness and a server, runs the test's body, and cleans up even if the body throws.
    package static func run(
        program: WorkerProgram = .at(path: WorkerHarness.program),
        configure: (inout WorkerExecutorConfiguration) -> Void = { _ in },
        handler: @escaping HostileServer.Handler, _ body: (WorkerHarness, HostileServer) async throws -> Void
    ) async throws {
        let server = try HostileServer(handler: handler)
        let harness = try WorkerHarness(program: program, configure: configure)
        do {
            try await body(harness, server)
        } catch {
            await harness.close(server)
            throw error
        }
        await harness.close(server)
    }

    private func close(_ server: HostileServer) async {
        server.stop()
        await executor.shutdown()
        try? FileManager.default.removeItem(atPath: root)
    }

    package func job(_ id: Int64, _ url: String, resume: ResumePoint? = nil) -> TransferJob {
        let traits = TransferTraits(kind: .normal, host: "test", submitted: WallTime(secondsSinceEpoch: 0))
        let specification = TransferSpecification(
            url: url, destination: Destination(directory: root + "/out", name: "file\(id)", collision: .overwrite),
            idleTimeoutSeconds: 20, traits: traits)
        return TransferJob(id: TransferID(id), specification: specification, resume: resume)
    }

    package func start(_ job: TransferJob) -> Recorder {
        let recorder = Recorder()
        executor.start(job, reporting: recorder.report)
        return recorder
    }

    /// Restarts a transfer from its resume point until it ends for another reason than a lost worker.
    ///
    /// - Returns: The final outcome and the number of lost workers. Gives up after 1000 lost workers.
    package func persist(_ id: Int64, _ url: String) async -> (outcome: ExecutorOutcome, losses: Int) {
        var resume: ResumePoint?
        var losses = 0
        while true {
            let outcome = await start(job(id, url, resume: resume)).outcome()
            guard outcome.failure?.cause == .executorLost, losses < 1000 else { return (outcome, losses) }
            resume = outcome.resume
            losses += 1
        }
    }

    package func contents(_ outcome: ExecutorOutcome) -> [UInt8]? {
        guard let path = outcome.completion?.file?.path else { return nil }
        return FileManager.default.contents(atPath: path).map(Array.init)
    }

    /// Returns whether a process with this id exists. Zombies count as existing.
    package static func exists(_ process: Int32) -> Bool { kill(process, 0) == 0 }

    /// Waits up to 10 s for a condition to become true.
    package static func eventually(_ condition: () -> Bool) async -> Bool {
        for _ in 0..<400 {
            if condition() { return true }
            try? await Task.sleep(for: .milliseconds(25))
        }
        return condition()
    }
}

/// A log handler that keeps all log lines in memory.
package struct LogRecorder: LogHandler {
    private final class Lines: Sendable {
        let lines = Mutex<[String]>([])
    }
    private let kept = Lines()
    package var logLevel = Logger.Level.debug
    package var metadata: Logger.Metadata = [:]

    package init() {}

    package var lines: [String] { kept.lines.withLock { $0 } }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let data = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        kept.lines.withLock { $0.append("\(event.level) \(event.message)\(data)") }
    }
}
