// SPDX-License-Identifier: Apache-2.0
import CurlTransport
import ExecutorHarness
import Foundation
import Glibc
import HostileServer
import Synchronization
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import URLSessionTransport

@testable import HTTPExecutor

/// A test environment: a temporary folder, an executor, and helper methods.
final class ExecutorFixture: Sendable {
    let root: String
    let executor: HTTPExecutor
    private let lastID = Mutex<Int64>(0)

    init(
        usesCurl: Bool = true, root: String? = nil,
        configure: (inout HTTPExecutorConfiguration) -> Void = { _ in }
    ) throws {
        self.root = root ?? NSTemporaryDirectory() + "transfer-executor-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: self.root, withIntermediateDirectories: true)
        var configuration = HTTPExecutorConfiguration(partialDirectory: self.root + "/partial")
        configuration.storageFloorBytes = 0
        configuration.progressInterval = .zero
        configure(&configuration)
        executor = try HTTPExecutor(configuration: configuration, transport: usesCurl ? .curl : .urlSession)
    }

    var folder: String { root + "/out" }

    /// Runs the body of a test, and cleans up even if the body throws.
    static func run(
        usesCurl: Bool = true, configure: (inout HTTPExecutorConfiguration) -> Void = { _ in },
        handler: @escaping HostileServer.Handler, _ body: (ExecutorFixture, HostileServer) async throws -> Void
    ) async throws {
        let server = try HostileServer(handler: handler)
        let fixture = try ExecutorFixture(usesCurl: usesCurl, configure: configure)
        do {
            try await body(fixture, server)
        } catch {
            await fixture.close(server)
            throw error
        }
        await fixture.close(server)
    }

    private func close(_ server: HostileServer) async {
        server.stop()
        await executor.shutdown()
        try? FileManager.default.removeItem(atPath: root)
    }

    func specification(_ url: String, name: String? = "file", collision: Destination.Collision = .rename)
        -> TransferSpecification
    {
        let traits = TransferTraits(kind: .normal, host: "test", submitted: WallTime(secondsSinceEpoch: 0))
        let destination = Destination(directory: folder, name: name, collision: collision)
        return TransferSpecification(url: url, destination: destination, idleTimeoutSeconds: 20, traits: traits)
    }

    /// Starts an attempt with a new transfer number.
    func start(_ specification: TransferSpecification, resume: ResumePoint? = nil) -> (
        id: TransferID, recorder: Recorder
    ) {
        let id = lastID.withLock { last in
            last += 1
            return TransferID(last)
        }
        let recorder = Recorder()
        executor.start(
            TransferJob(id: id, specification: specification, resume: resume), reporting: recorder.report)
        return (id, recorder)
    }

    /// Runs an attempt to its end.
    func run(_ specification: TransferSpecification, resume: ResumePoint? = nil) async -> (ExecutorOutcome, Recorder) {
        let recorder = start(specification, resume: resume).recorder
        let outcome = await recorder.outcome()
        return (outcome, recorder)
    }

    /// Discards the files that a transfer left.
    func discard(_ resume: ResumePoint, of specification: TransferSpecification? = nil) {
        let specification = specification ?? self.specification("http://127.0.0.1:1/f")
        executor.discard(TransferJob(id: TransferID(1), specification: specification, resume: resume))
    }

    /// Runs an attempt of the job to its end.
    func run(_ job: TransferJob) async -> ExecutorOutcome {
        let recorder = Recorder()
        executor.start(job, reporting: recorder.report)
        return await recorder.outcome()
    }

    /// The names of the marks of placed files.
    var marks: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: root + "/partial")) ?? []
        return names.filter { $0.hasSuffix(".placed") }
    }

    /// Runs an attempt with replaced file calls.
    func run(
        _ specification: TransferSpecification, calls: FileCalls,
        configure: (inout HTTPExecutorConfiguration) -> Void = { _ in }
    ) async -> ExecutorOutcome {
        var configuration = HTTPExecutorConfiguration(partialDirectory: root + "/partial")
        configuration.storageFloorBytes = 0
        configure(&configuration)
        let recorder = Recorder()
        guard
            let environment = try? ExecutorEnvironment(
                configuration: configuration, transport: .curl, fileCalls: calls)
        else { fatalError("libcurl is missing") }
        let job = TransferJob(id: TransferID(1000), specification: specification, resume: nil)
        let attempt = DownloadAttempt(AttemptContext(job: job, environment: environment, report: recorder.report))
        attempt.dispatch { $0.begin() }
        let outcome = await recorder.outcome()
        await environment.client.invalidate()
        return outcome
    }

    func fetch(_ url: String) async -> ExecutorOutcome { await run(specification(url)).0 }

    /// Creates a partial file with the given bytes, as left by an earlier attempt.
    func leavePartial(_ bytes: some Sequence<UInt8>, total: Int?, tag: String?, bootID: String = "earlier") throws
        -> ResumePoint
    {
        let path = root + "/left-\(UUID().uuidString).part"
        let data = Data(bytes)
        try data.write(to: URL(fileURLWithPath: path))
        let validator = tag.map { Validator(entityTag: $0, lastModified: nil) }
        return ResumePoint(
            path: path, offset: Int64(data.count), total: total.map(Int64.init), validator: validator, bootID: bootID)
    }

    func contents(_ outcome: ExecutorOutcome) -> [UInt8]? {
        guard let path = outcome.completion?.file?.path else { return nil }
        return FileManager.default.contents(atPath: path).map(Array.init)
    }

    /// The files in the partial folder and the hidden files beside the destination. Excludes marks, which stay until
    /// the end is recorded.
    var orphanedFiles: [String] {
        let partial = (try? FileManager.default.contentsOfDirectory(atPath: root + "/partial")) ?? []
        let hidden = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return (partial + hidden.filter { $0.hasPrefix(".") }).filter { !$0.hasSuffix(".placed") }
    }
}

/// The parent of every suite that creates executors.
@Suite(.serialized)
struct ExecutorTests {}

extension Exchange {
    /// Creates an exchange that is never sent.
    convenience init(receiver: any ExchangeReceiver) {
        self.init(
            TransportRequest(head: RequestHead(url: "http://h/f", fields: []), timeoutSeconds: 1, notBefore: 0),
            for: receiver)
    }
}
