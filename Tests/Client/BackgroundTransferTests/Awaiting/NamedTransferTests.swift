// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import Testing
import TransferModel
import TransferSessions

@testable import BackgroundTransfer

@Suite("Named transfers", .timeLimit(.minutes(1)))
struct NamedTransferTests {
    private let fixture: AwaitedSession
    private let request = AwaitedSession.request

    init() throws { fixture = try AwaitedSession() }

    @Test("A4, A5: canceling the awaiting task cancels the transfer only if requested", arguments: [false, true])
    func cancellation(_ cancels: Bool) async throws {
        let session = try fixture.open()
        var options = TransferOptions()
        options.cancelsWithTask = cancels
        let transfer = try await session.transfer(for: request, id: "a", options: options)
        let other = try await session.transfer(for: request, id: "a")
        let awaiting = Task { await failure { () throws(TransferError) in try await transfer.file } }
        awaiting.cancel()
        #expect(await awaiting.value?.code == .canceled)
        #expect((fixture.channel.orders.last == .cancel(1)) == cancels)
        guard !cancels else { return }
        fixture.end(1, try fixture.download("a"))
        #expect(try await other.file.lastPathComponent == "a")
    }

    @Test("the progress begins with the current bytes, keeps a known total, and ends with the transfer")
    func progress() async throws {
        var task = try AwaitedSession.snapshot(1, "a")
        (task.received, task.total) = (10, 100)
        fixture.channel.content.withLock { [task] in $0.tasks = [task] }
        let session = try fixture.open()
        let transfer = try await session.transfer(for: request, id: "a")
        var reader = transfer.progress.makeAsyncIterator()
        #expect(try await reader.next() == TransferProgress(bytes: 10, total: 100))
        fixture.channel.send(SessionEvent(task: 1, .received(50, total: nil)))
        let second = try await reader.next()
        #expect(second == TransferProgress(bytes: 50, total: 100) && second?.fraction == 0.5)
        fixture.channel.send(SessionEvent(number: 9, task: 1, .completed(.init(code: -999, message: "canceled"))))
        #expect(try await reader.next() == nil)
        #expect(TransferProgress(bytes: 1, total: nil).fraction == nil)
        #expect(TransferProgress(bytes: 0, total: 0).fraction == 1)
    }

    @Test("A8: a transfer reports why it waits, until its end")
    func waits() async throws {
        let session = try fixture.open()
        let transfer = try await session.transfer(for: request, id: "a")
        #expect(try await transfer.wait() == nil)
        var explanation = WaitExplanation(
            sentence: "on battery — starts later",
            reasons: [WaitReasonReport(code: "onBattery", sentence: "on battery")])
        explanation.until = WallTime(secondsSinceEpoch: 2_000_000_000)
        fixture.channel.content.withLock { [explanation] in $0.explanation = explanation }
        let wait = try await transfer.wait()
        #expect(wait?.reasons == ["on battery"] && wait?.description == "on battery — starts later")
        #expect(wait?.expectedStart == Date(timeIntervalSince1970: 2_000_000_000))
        explanation.expectedChance = WallTime(secondsSinceEpoch: 1_900_000_000)
        #expect(TransferWait(explanation).expectedStart == Date(timeIntervalSince1970: 1_900_000_000))
        fixture.end(1, try fixture.download("a"))
        _ = try await transfer.file
        #expect(try await transfer.wait() == nil)
    }

    @Test("a transfer needs no other reference to its session, and neither does its progress")
    func keepsSession() async throws {
        let transfer = try await fixture.open().transfer(for: request, id: "a")
        let progress = transfer.progress
        fixture.end(1, try fixture.download("a"))
        _ = try await transfer.file
        for await _ in progress {}
    }

    @Test("a login that a server requires is refused, because nobody else receives the event")
    func login() async throws {
        let session = try fixture.open()
        _ = try await session.transfer(for: request, id: "a")
        let challenge = ChallengeDescription(
            scheme: "basic", realm: nil, host: "example.org", port: 80, isSecure: false, refusals: 0)
        fixture.channel.send(SessionEvent(task: 1, .challenged(challenge)))
        await until { fixture.channel.orders.last == .answer(1, .none) }
        #expect(fixture.channel.orders.last == .answer(1, .none))
    }
}
