// SPDX-License-Identifier: Apache-2.0
import ExecutorHarness
import Foundation
import Glibc
import HostileServer
import LinuxKernel
import Synchronization
import Testing
import TransferEngine
import TransferFiles
import TransferModel

@testable import HTTPExecutor

/// The files of an attempt, whose partial file is opened on another thread once the test lets it.
private final class LateFiles: AttemptFiles {
    private let base: LocalFiles
    private let failure: FileFailure?
    private let gate = Monitor(false)

    init(_ job: TransferJob, _ fixture: ExecutorFixture, failure: FileFailure? = nil) {
        var configuration = HTTPExecutorConfiguration(partialDirectory: fixture.root + "/partial")
        configuration.storageFloorBytes = 0
        base = LocalFiles(job: job, configuration: configuration)
        self.failure = failure
    }

    func openGate() { gate.change { $0 = true } }

    func beginOpening(
        for server: ServerFile, completion: @escaping @Sendable (Result<PartialFile, FileFailure>) -> Void
    ) -> Bool {
        Thread { [self] in
            gate.change(once: { $0 }) { _ in }
            if let failure { return completion(.failure(failure)) }
            do throws(FileFailure) { completion(.success(try base.open(for: server))) } catch {
                completion(.failure(error))
            }
        }.start()
        return true
    }

    func prepare(isStopped: () -> Bool) -> (PreparedFiles, OwnedDescriptor?) { base.prepare(isStopped: isStopped) }
    func open(for server: ServerFile) throws(FileFailure) -> PartialFile { try base.open(for: server) }
    func adopt(_ file: PartialFile, as server: ServerFile, size: Int64) throws(FileFailure) -> CompletedFile? {
        try base.adopt(file, as: server, size: size)
    }
    func remove(_ file: PartialFile?) { base.remove(file) }
}

extension ExecutorTests {
    @Suite(.serialized, .timeLimit(.minutes(2)))
    struct OpeningTests {
        /// Runs an attempt whose file opens once the server has sent all bytes, or after a second.
        ///
        /// - Parameters:
        ///   - body: Called as soon as the server has the request.
        ///   - check: Called at the end, with the number of bytes that the server had sent before the file opened.
        private func run(
            _ megabytes: Int, failure: FileFailure? = nil,
            body: @escaping @Sendable (ExecutorFixture, TransferID) -> Void = { _, _ in },
            check: (ExecutorFixture, ExecutorOutcome, _ sent: Int, [UInt8]) -> Void
        ) async throws {
            let content = ExecutorFixture.blocks(megabytes)
            let sent = Monitor(0)
            let requested = Monitor(false)
            let handler: HostileServer.Handler = { request, connection in
                requested.change { $0 = true }
                connection.respond("200 OK", ["Content-Length: \(content.count)"])
                for start in stride(from: 0, to: content.count, by: 1 << 20) {
                    guard connection.send(content[start..<start + (1 << 20)]) else { return }
                    sent.change { $0 += 1 << 20 }
                }
            }
            try await ExecutorFixture.run(handler: handler) { fixture, server in
                let job = TransferJob(
                    id: TransferID(1), specification: fixture.specification(server.url("/f")), resume: nil)
                let files = LateFiles(job, fixture, failure: failure)
                let recorder = Recorder()
                let sentBefore = Mutex(0)
                fixture.executor.start(job, files: files, reporting: recorder.report)
                Thread {
                    requested.change(once: { $0 }) { _ in }
                    body(fixture, job.id)
                    sent.wait(until: MonotonicTime.now() + 1_000_000_000) { $0 == content.count }
                    sentBefore.withLock { $0 = sent.value }
                    files.openGate()
                }.start()
                let outcome = await recorder.outcome()
                check(fixture, outcome, sentBefore.withLock { $0 }, content)
            }
        }

        @Test("Bytes that arrive while the file is being opened are written afterward, in order", arguments: [1, 48])
        func late(megabytes: Int) async throws {
            try await run(megabytes) { fixture, outcome, _, content in
                #expect(fixture.contents(outcome) == content)
            }
        }

        @Test("A fast server waits while the file is being opened")
        func fastServer() async throws {
            try await run(96) { _, outcome, sent, content in
                #expect(outcome.completion != nil)
                #expect(sent < content.count, "the server could send everything into memory")
            }
        }

        @Test("A file that cannot be opened ends the attempt")
        func failing() async throws {
            try await run(1, failure: FileFailure("open", "/x", code: EACCES)) { fixture, outcome, _, _ in
                #expect(outcome.failure?.message.contains("/x") == true, "\(outcome)")
            }
        }

        @Test("A stop while the file is being opened keeps the bytes")
        func stopped() async throws {
            try await run(48) { fixture, id in
                fixture.executor.stop(id)
            } check: { _, outcome, _, _ in
                guard case .stopped = outcome else {
                    Issue.record("\(outcome)")
                    return
                }
            }
        }
    }
}
