// SPDX-License-Identifier: Apache-2.0
import Foundation
public import HTTPExecutor
import HostileServer
import Synchronization
public import TransferEngine
internal import TransferModel
internal import TransferPolicy

/// A runner for hostile cases on executors that the caller creates.
public struct HostileCaseRunner: Sendable {
    /// A closure that creates an executor for one case.
    public typealias Make = @Sendable (HTTPExecutorConfiguration) async throws -> any TransferExecutor
    private let usesCurl: Bool
    private let make: Make

    /// Creates a runner.
    ///
    /// - Parameters:
    ///   - usesCurl: A Boolean value that indicates whether the executors use `CurlTransport`, and not `URLSessionTransport`.
    ///   - make: A closure that is called once per case with the case's configuration.
    public init(usesCurl: Bool, make: @escaping Make) {
        self.usesCurl = usesCurl
        self.make = make
    }

    /// Returns the cases that can run over a transport.
    public static func cases(usesCurl: Bool) -> [HostileCase] {
        HostileCase.all.filter { usesCurl || ![.endsProcess, .impossible].contains($0.underURLSession) }
    }

    /// Runs a case.
    ///
    /// - Returns: A sentence for each problem, or an empty array if the case passes.
    public func run(_ test: HostileCase) async throws -> [String] {
        let root = NSTemporaryDirectory() + "hostile-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: root) }
        let environment = try HostileEnvironment()
        defer { environment.close() }
        let authority = try HostileAuthority()
        environment.server = try server(for: test, environment, authority)
        var configuration = HTTPExecutorConfiguration(partialDirectory: root + "/partial")
        configuration.storageFloorBytes = 0
        configuration.progressInterval = .zero
        if test.fault != nil, usesCurl {
            configuration.caFile = root + "/ca.pem"
            try Data(authority.pem.utf8).write(to: URL(fileURLWithPath: root + "/ca.pem"))
        }
        test.configure(&configuration)
        let executor = try await make(configuration)
        let problems = try await HostileRun(
            test: test, environment: environment, executor: executor, root: root, usesCurl: usesCurl
        )
        .problems()
        await executor.shutdown()
        return problems
    }

    private func server(
        for test: HostileCase, _ environment: HostileEnvironment, _ authority: HostileAuthority
    ) throws -> HostileServer {
        var options = HostileServerOptions()
        options.certificate = try test.fault.map { try authority.certificate($0) }
        test.listen(&options)
        return try HostileServer(options: options, greeting: test.greeting) { request, connection in
            if environment.hasRecovered {
                environment.file.serve(request, connection)
            } else {
                test.respond(request, connection, environment)
            }
        }
    }
}

/// A run of one case on one executor.
private struct HostileRun {
    var test: HostileCase
    var environment: HostileEnvironment
    var executor: any TransferExecutor
    var root: String
    var usesCurl: Bool

    private var ending: HostileCase.Ending {
        if !usesCurl, case .ends(let ending) = test.underURLSession { return ending }
        return test.ending
    }

    func problems() async throws -> [String] {
        var resume: ResumePoint?
        if let earlier = test.earlier { resume = try leavePartial(earlier.count, earlier.version) }
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                test.prepare(environment)
                continuation.resume()
            }
        }
        let first = await attempt(1, resume)
        guard let outcome = first.outcome else { return ["the attempt did not end"] }
        var problems = first.problems + judge(outcome) + judgeRequests() + test.inspect(environment)
        guard problems.isEmpty, case .failed(let failure, let resume) = outcome, failure.cause.isTemporary,
            test.recovers
        else { return problems }
        environment.hasRecovered = true
        var next = await attempt(2, resume)
        // Data left over on a connection may spoil one more request.
        if case .failed(let failure, let resume)? = next.outcome, failure.cause.isTemporary {
            next = await attempt(3, resume)
        }
        problems += next.problems
        guard case .finished(let completion)? = next.outcome, contents(completion) == environment.file.bytes else {
            return problems + ["after the server recovered, the next attempt ended with \(describe(next.outcome))"]
        }
        return problems
    }

    private func attempt(_ id: Int64, _ resume: ResumePoint?) async -> (outcome: ExecutorOutcome?, problems: [String]) {
        let traits = TransferTraits(kind: .normal, host: "test", submitted: WallTime(secondsSinceEpoch: 0))
        let destination = Destination(directory: root + "/out", name: "file")
        var specification = TransferSpecification(
            url: environment.server?.url(test.path) ?? "", destination: destination, idleTimeoutSeconds: 15,
            traits: traits)
        test.specify(&specification, environment)
        let reports = HostileReports()
        let job = TransferJob(id: TransferID(id), specification: specification, resume: resume)
        executor.start(job, reporting: reports.add)
        let outcome = await reports.outcome(within: .seconds(40))
        if case .finished? = outcome {
            // An engine discards the partial file after it has saved the outcome.
            let resume = reports.lastCheckpoint ?? resume
            executor.discard(TransferJob(id: job.id, specification: specification, resume: resume))
        }
        return (outcome, outcome == nil ? [] : reports.problems)
    }

    private func isRight(_ outcome: ExecutorOutcome, _ ending: HostileCase.Ending) -> Bool {
        switch (ending, outcome) {
        case (.oneOf(let endings), _): endings.contains { isRight(outcome, $0) }
        case (.file, .finished(let completion)): contents(completion) == environment.file.bytes
        case (.bytes(let bytes), .finished(let completion)): contents(completion) == bytes
        case (.response(let status), .finished(let completion)):
            completion.file == nil && completion.status == status
        case (.failure(let cause, let kept), .failed(let failure, let resume)):
            failure.cause == cause && kept.contains(resume?.offset ?? 0)
        case (.orderly, .finished(let completion)): contents(completion) == environment.file.bytes
        case (.orderly, .failed(let failure, _)): failure.cause.isTemporary
        default: false
        }
    }

    private func judge(_ outcome: ExecutorOutcome) -> [String] {
        var problems = isRight(outcome, ending) ? [] : ["ended with \(describe(outcome)), expected \(ending)"]
        if case .finished = outcome, !orphanedFiles.isEmpty { problems.append("files left over: \(orphanedFiles)") }
        if let wanted = test.retryAfter, case .failed(let failure, _) = outcome {
            let seconds = failure.retryAfterSeconds
            let isRight = wanted == .max ? (seconds ?? 0) >= 1 << 31 : seconds == wanted
            if !isRight { problems.append("the retry delay is \(String(describing: seconds)) s") }
        }
        return problems
    }

    private func judgeRequests() -> [String] {
        if !usesCurl, case .ends = test.underURLSession { return [] }
        let saw = environment.server?.requests.map(\.line) ?? []
        guard let wanted = test.saw, wanted != saw else { return [] }
        return ["the server saw \(saw), expected \(wanted)"]
    }

    private func contents(_ completion: TransferCompletion) -> [UInt8]? {
        guard let path = completion.file?.path else { return nil }
        return FileManager.default.contents(atPath: path).map(Array.init)
    }

    private var orphanedFiles: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: root + "/partial")) ?? []
    }

    private func leavePartial(_ count: Int, _ version: Validator) throws -> ResumePoint {
        let path = root + "/earlier.part"
        try Data(environment.file.bytes.prefix(count)).write(to: URL(fileURLWithPath: path))
        return ResumePoint(
            path: path, offset: Int64(count), total: Int64(environment.file.bytes.count), validator: version,
            bootID: "earlier")
    }

    private func describe(_ outcome: ExecutorOutcome?) -> String {
        switch outcome {
        case .finished(let completion):
            let bytes = contents(completion)
            let what =
                bytes == environment.file.bytes ? "the correct file" : bytes.map { "\($0.count) bytes" } ?? "no file"
            return "\(what), status \(completion.status)"
        case .failed(let failure, let resume):
            return "\(failure.cause), \(resume?.offset ?? 0) bytes kept: \(failure.message)"
        case .stopped, .storageLow, .challenged: return "\(String(describing: outcome))"
        case nil: return "nothing at all"
        }
    }
}
