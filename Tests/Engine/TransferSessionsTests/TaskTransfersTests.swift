// SPDX-License-Identifier: Apache-2.0
import Logging
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferTesting

@testable import TransferSessions

@Suite struct TaskTransfersTests {
    private let fixture = HostFixture()
    private let user = FakeApp().client.user
    private let key = FakeApp().key()

    private var transfers: TaskTransfers {
        TaskTransfers(
            engine: fixture.engine,
            store: InMemorySessionStore(
                disk: fixture.disks.sessions, transfers: InMemoryTransferStore(disk: fixture.disks.transfers)),
            resolver: fixture.resolver, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Returns the submission that the session machine requests for a task.
    private func submission(of snapshot: TaskSnapshot, source: KeptSource? = nil) throws -> TaskSubmission {
        var machine = SessionMachine()
        let now = HostFixture.start.wall
        _ = machine.apply(.accepted(try machine.admit(.open(.named(), user, nil), in: key, at: now)), at: now)
        let order = SessionRequest.order(.submit(snapshot), from: user.name, source.map { .success($0) })
        let effects = machine.apply(.accepted(try machine.admit(order, in: key, at: now)), at: now)
        return try #require(
            effects.compactMap { if case .submit(let submission) = $0 { submission } else { nil } }.first)
    }

    private func submit(_ submission: TaskSubmission) async -> (lines: [String], refusal: SessionRefusal?) {
        let (events, refusal) = await transfers.submit(submission, at: HostFixture.start.wall)
        return (events.map(Self.text), refusal)
    }

    private static func text(_ event: SessionMachine.Event) -> String {
        switch event {
        case .transferSubmitted(let id, _): "submitted \(id.rawValue)"
        case .submissionFailed: "failed"
        case .unusable(_, let number, let failure): "unusable \(number) \(failure.code)"
        case .resumed(let id): "resumed \(id.rawValue)"
        case .transferEnded(let id, let end): "ended \(id.rawValue) \(end.failure?.code ?? 0)"
        case .challengeAnswered(let id): "answered \(id.rawValue)"
        default: "\(event)"
        }
    }

    @Test("an upload sends its kept file, with that file's size and date and the app's path")
    func upload() async throws {
        let snapshot = TaskSnapshot(
            identifier: 1, kind: .upload(path: "/data/report.pdf"),
            request: RequestDescription(url: "http://h/1", method: "PUT"))
        let source = KeptSource(app: key.app, path: "/spool/1", size: 12, modified: 34)
        try await fixture.run {
            let submission = try self.submission(of: snapshot, source: source)
            #expect(await self.submit(submission).lines == ["submitted 1"])
            let specification = try #require(self.fixture.disks.transfers.transfers.first?.specification)
            let upload = try #require(specification.upload)
            #expect((upload.path, upload.origin) == ("/spool/1", "/data/report.pdf"))
            #expect((upload.size, upload.modified, specification.traits.expectedBytesToSend) == (12, 34, 12))
            #expect((specification.traits.host, specification.traits.session) == ("h", "s"))
        }
    }

    @Test("a task that cannot become a transfer ends with a failure, and is not refused")
    func unusable() async throws {
        try await fixture.run {
            let (lines, refusal) = await self.submit(try self.submission(of: .download(1, url: "ftp://h/1")))
            #expect(lines == ["failed", "unusable 1 -1002"])
            #expect(refusal == nil)
        }
    }

    @Test("a task that the engine cannot accept at present is refused, and does not end")
    func refused() async throws {
        try await fixture.run {
            self.fixture.disks.transfers.fail(with: TransferStoreError(code: .diskFull, message: "the disk is full"))
            let (lines, refusal) = await self.submit(try self.submission(of: .download(1)))
            #expect(lines == ["failed"])
            #expect(refusal?.code == .unavailable)
            self.fixture.disks.transfers.fail(with: nil)
        }
    }

    @Test("a task with a new request replaces its transfer, and keeps the urgency that the user chose")
    func replaced() async throws {
        try await fixture.run {
            var submission = try self.submission(of: .download(1))
            submission.traits.kind = .userInitiated
            _ = await self.submit(submission)
            submission.traits.kind = .normal
            submission.task.generation = 1
            submission.replaced = TransferID(1)
            #expect(await self.submit(submission).lines == ["submitted 2"])
            let stored = self.fixture.disks.transfers.transfers
            #expect(stored.map(\.specification.traits.kind) == [.userInitiated, .userInitiated])
            #expect(stored.map { $0.ending == .cancelled } == [true, false])
        }
    }

    @Test("a transfer that ended before it was paused is reported as ended on resume")
    func resumed() async throws {
        try await fixture.run {
            for number in 1...2 { _ = await self.submit(try self.submission(of: .download(number))) }
            await self.transfers.control([TransferID(1)], .pause)
            await self.transfers.control([TransferID(2)], .cancel)
            #expect(Self.text(await self.transfers.resume(TransferID(1))) == "resumed 1")
            #expect(Self.text(await self.transfers.resume(TransferID(2))) == "ended 2 -999")
        }
    }

    @Test("the unfinished transfers with the given keys are canceled")
    func cancelledByKey() async throws {
        try await fixture.run {
            for number in 1...2 { _ = await self.submit(try self.submission(of: .download(number))) }
            await self.fixture.until("the start") { self.fixture.executor.specification(of: TransferID(1)) != nil }
            self.fixture.executor.finish(TransferID(1))
            await self.fixture.until("the end") { self.fixture.disks.transfers.transfers[0].ending != nil }
            await self.transfers.cancel(keys: [1, 2, 3].map { self.key.transferKey(of: $0, again: 0) })
            // If the second transfer has started after the first one's end, it ends with its attempt.
            await self.fixture.until("the cancellation") { self.fixture.disks.transfers.transfers[1].ending != nil }
            let stored = self.fixture.disks.transfers.transfers
            #expect(stored.map { $0.ending == .cancelled } == [false, true])
        }
    }

    @Test("a reply without a waiting challenge is accepted")
    func challengeAnswered() async throws {
        try await fixture.run {
            _ = await self.submit(try self.submission(of: .download(1)))
            let event = try await self.transfers.answerChallenge(of: TransferID(1), with: .refuse)
            #expect(Self.text(event) == "answered 1")
        }
        // The engine has ended.
        await #expect(throws: SessionRefusal.self) {
            try await transfers.answerChallenge(of: TransferID(1), with: .refuse)
        }
    }
}
