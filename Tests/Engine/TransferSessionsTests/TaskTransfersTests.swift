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
    private let rig = HostRig()
    private let user = PlayedApp().client.user
    private let key = PlayedApp().key()

    private var transfers: TaskTransfers {
        TaskTransfers(
            engine: rig.engine,
            store: InMemorySessionStore(
                disk: rig.disks.sessions, transfers: InMemoryTransferStore(disk: rig.disks.transfers)),
            place: rig.place, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Returns the submission that the session machine requests for a task.
    private func submission(of snapshot: TaskSnapshot, source: KeptSource? = nil) throws -> TaskSubmission {
        var machine = SessionMachine()
        let now = HostRig.start.wall
        _ = machine.apply(.accepted(try machine.admit(.open(.named(), user, nil), in: key, at: now)), at: now)
        let order = SessionRequest.order(.submit(snapshot), from: user.name, source.map { .success($0) })
        let effects = machine.apply(.accepted(try machine.admit(order, in: key, at: now)), at: now)
        return try #require(
            effects.compactMap { if case .submit(let submission) = $0 { submission } else { nil } }.first)
    }

    private func submit(_ submission: TaskSubmission) async -> (lines: [String], refusal: SessionRefusal?) {
        let (events, refusal) = await transfers.submit(submission, at: HostRig.start.wall)
        return (events.map(Self.text), refusal)
    }

    private static func text(_ event: SessionMachine.Event) -> String {
        switch event {
        case .transferSubmitted(let id, _): "submitted \(id.rawValue)"
        case .submissionFailed: "failed"
        case .unusable(_, let number, let failure): "unusable \(number) \(failure.code)"
        case .resumed(let id): "resumed \(id.rawValue)"
        case .transferEnded(let id, let end): "ended \(id.rawValue) \(end.failure?.code ?? 0)"
        case .answered(let id): "answered \(id.rawValue)"
        default: "\(event)"
        }
    }

    @Test("an upload sends its kept file, and goes by the size and date of that file and the app's own path")
    func upload() async throws {
        let snapshot = TaskSnapshot(
            identifier: 1, kind: .upload(path: "/data/report.pdf"),
            request: RequestDescription(url: "http://h/1", method: "PUT"))
        let source = KeptSource(app: key.app, path: "/spool/1", size: 12, modified: 34)
        try await rig.run {
            let submission = try self.submission(of: snapshot, source: source)
            #expect(await self.submit(submission).lines == ["submitted 1"])
            let specification = try #require(self.rig.disks.transfers.transfers.first?.specification)
            let upload = try #require(specification.upload)
            #expect((upload.path, upload.origin) == ("/spool/1", "/data/report.pdf"))
            #expect((upload.size, upload.modified, specification.traits.expectedBytesToSend) == (12, 34, 12))
            #expect((specification.traits.host, specification.traits.session) == ("h", "s"))
        }
    }

    @Test("a task that cannot be a transfer is told as its end, and is no refusal")
    func unusable() async throws {
        try await rig.run {
            let (lines, refusal) = await self.submit(try self.submission(of: .download(1, url: "ftp://h/1")))
            #expect(lines == ["failed", "unusable 1 -1002"])
            #expect(refusal == nil)
        }
    }

    @Test("a task that the engine cannot take now is refused, and is no end")
    func refused() async throws {
        try await rig.run {
            self.rig.disks.transfers.fail(with: TransferStoreError(code: .diskFull, message: "the disk is full"))
            let (lines, refusal) = await self.submit(try self.submission(of: .download(1)))
            #expect(lines == ["failed"])
            #expect(refusal?.code == .unavailable)
            self.rig.disks.transfers.fail(with: nil)
        }
    }

    @Test("a task with another request replaces its transfer, and stays as urgent as a person has made that")
    func replaced() async throws {
        try await rig.run {
            var submission = try self.submission(of: .download(1))
            submission.traits.kind = .userInitiated
            _ = await self.submit(submission)
            submission.traits.kind = .normal
            submission.task.generation = 1
            submission.replaced = TransferID(1)
            #expect(await self.submit(submission).lines == ["submitted 2"])
            let stored = self.rig.disks.transfers.transfers
            #expect(stored.map(\.specification.traits.kind) == [.userInitiated, .userInitiated])
            #expect(stored.map { $0.ending == .cancelled } == [true, false])
        }
    }

    @Test("a transfer that ended before it was paused is told as ended when it is resumed")
    func resumed() async throws {
        try await rig.run {
            for number in 1...2 { _ = await self.submit(try self.submission(of: .download(number))) }
            await self.transfers.control([TransferID(1)], .pause)
            await self.transfers.control([TransferID(2)], .cancel)
            #expect(Self.text(await self.transfers.resume(TransferID(1))) == "resumed 1")
            #expect(Self.text(await self.transfers.resume(TransferID(2))) == "ended 2 -999")
        }
    }

    @Test("the unfinished transfers of given keys are cancelled")
    func cancelledByKey() async throws {
        try await rig.run {
            for number in 1...2 { _ = await self.submit(try self.submission(of: .download(number))) }
            await self.rig.until("the start") { self.rig.executor.specification(of: TransferID(1)) != nil }
            self.rig.executor.finish(TransferID(1))
            await self.rig.until("the end") { self.rig.disks.transfers.transfers[0].ending != nil }
            await self.transfers.cancel(keys: [1, 2, 3].map { self.key.transferKey(of: $0, again: 0) })
            let stored = self.rig.disks.transfers.transfers
            #expect(stored.map { $0.ending == .cancelled } == [false, true])
        }
    }

    @Test("an answer that no challenge waits for is taken as given")
    func answered() async throws {
        try await rig.run {
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
