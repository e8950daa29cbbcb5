// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import Testing
import TransferModel
import TransferSessions

@testable import BackgroundTransfer

@Suite("Files awaited by name", .timeLimit(.minutes(1)))
struct BackgroundSessionAwaitingTests {
    private let fixture: AwaitedSession
    private var channel: FakeChannel { fixture.channel }
    private let request = AwaitedSession.request

    init() throws { fixture = try AwaitedSession() }

    @Test("A1: a new process joins an unfinished task, and waits for the events of an ended one")
    func recovers() async throws {
        let tasks = try [AwaitedSession.snapshot(1, "a"), AwaitedSession.snapshot(2, "b", isEnded: true)]
        channel.content.withLock { ($0.tasks, $0.nextTask) = (tasks, 3) }
        let session = try fixture.open()
        let first = try await session.transfer(for: request, id: "a")
        async let second = session.file(for: request, id: "b")
        fixture.end(2, try fixture.download("b"))
        #expect(try await second.lastPathComponent == "b")
        fixture.end(1, try fixture.download("a"))
        #expect(try await first.file.lastPathComponent == "a")
        #expect(fixture.submitted == [] && channel.acknowledged == [18, 10])
    }

    @Test("A7: an event whose file an earlier process has moved is acknowledged, and no task is submitted")
    func moved() async throws {
        let session = try fixture.open()
        async let file = session.file(for: request, id: "a")
        await until { fixture.submitted.count == 1 }
        let path = try fixture.download("a")
        fixture.end(1, path)
        let moved = try await file
        // The next process gets the events again, because the service did not receive the acknowledgement.
        let next = try AwaitedSession()
        let task = try AwaitedSession.snapshot(1, "a", isEnded: true)
        next.channel.content.withLock { ($0.folder, $0.tasks) = (fixture.folder + "/named", [task]) }
        let other = try next.open()
        async let again = other.file(for: request, id: "a")
        next.end(1, path)
        #expect(try await again == moved)
        await until { next.channel.acknowledged == [10] }
        #expect(next.channel.acknowledged == [10] && next.submitted == [])
    }

    @Test("a failure that nobody awaited is the result of the next call, and of no other")
    func lateFailure() async throws {
        let session = try fixture.open()
        _ = try await session.transfer(for: request, id: "a")
        channel.send(SessionEvent(number: 9, task: 1, .completed(FailureDescription(code: -1003, message: "no host"))))
        await until { channel.acknowledged == [9] }
        let error = await failure { () throws(TransferError) in try await session.file(for: request, id: "a") }
        guard case .network(let cause)? = error?.code else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        #expect(cause.code == .cannotFindHost && error?.isRetryable == true)
        _ = try await session.transfer(for: request, id: "a")
        #expect(fixture.submitted.count == 2)
    }

    @Test("a file that cannot be moved stays with the service, and the same call moves it later")
    func unmovable() async throws {
        let blocker = fixture.folder + "/named"
        #expect(FileManager.default.createFile(atPath: blocker, contents: nil))
        let session = try fixture.open()
        async let failed = failure { () throws(TransferError) in try await session.file(for: request, id: "a") }
        await until { fixture.submitted.count == 1 }
        fixture.end(1, try fixture.download("a"))
        #expect(await failed?.code == .disk)
        #expect(channel.acknowledged == [])
        try FileManager.default.removeItem(atPath: blocker)
        let file = try await session.file(for: request, id: "a")
        #expect(try String(contentsOf: file, encoding: .utf8) == "a")
        #expect(channel.acknowledged == [10] && fixture.submitted.count == 1)
    }

    @Test("names are 1 to 1000 bytes without NUL", arguments: ["", "a\0b", String(repeating: "x", count: 1001)])
    func badNames(_ id: String) async throws {
        let session = try fixture.open()
        let error = await failure { () throws(TransferError) in try await session.file(for: request, id: id) }
        #expect(error?.code == .badID)
    }

    @Test("a service without a folder, an invalidated session, and an unsupported scheme are errors of the session")
    func sessionErrors() async throws {
        let session = try fixture.open()
        let ftp = URLRequest(url: URL(string: "ftp://example.org/a")!)
        let first = await failure { () throws(TransferError) in try await session.file(for: ftp, id: "a") }
        #expect(first?.sessionCode == .unsupportedScheme)
        _ = try await session.transfer(for: request, id: "a")
        async let waiting = failure { () throws(TransferError) in try await session.file(for: request, id: "a") }
        session.finishTasksAndInvalidate()
        let second = await failure { () throws(TransferError) in try await session.file(for: request, id: "b") }
        #expect(second?.sessionCode == .invalidated)
        channel.close("s")
        #expect(await waiting?.sessionCode == .invalidated)
        let other = FakeChannel()
        let plain = try BackgroundSession(BackgroundSessionConfiguration(identifier: "s"), over: other)
        let third = await failure { () throws(TransferError) in try await plain.file(for: request, id: "a") }
        #expect(third?.sessionCode == .unavailable)
    }

    @Test("remove cancels an unfinished transfer and returns after its end")
    func removes() async throws {
        let session = try fixture.open()
        let transfer = try await session.transfer(for: request, id: "a")
        async let failed = failure { () throws(TransferError) in try await transfer.file }
        async let removal: Void = session.remove(id: "a")
        await until { channel.orders.last == .cancel(1) }
        channel.send(SessionEvent(number: 9, task: 1, .completed(.init(code: -999, message: "canceled"))))
        try await removal
        #expect(await failed?.code == .canceled)
        try await session.remove(id: "unknown")
        _ = try await session.transfer(for: request, id: "a")
        #expect(fixture.submitted.count == 2)
    }
}

extension TransferError {
    fileprivate var sessionCode: SessionError.Code? { if case .session(let error) = code { error.code } else { nil } }
}
