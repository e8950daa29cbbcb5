// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import Testing
import TransferModel
import TransferSessions

@testable import BackgroundTransfer

@Suite("Routes of a session's events", .timeLimit(.minutes(1)))
struct EventRouterTests {
    private let fixture: AwaitedSession

    init() throws { fixture = try AwaitedSession() }

    @Test("the events of named transfers reach their waiters only, and the others reach the reader in order")
    func separates() async throws {
        let session = try fixture.open()
        let named = try await session.transfer(for: AwaitedSession.request, id: "a")
        let task = try session.download(AwaitedSession.request)
        task.resume()
        fixture.channel.send(SessionEvent(task: 2, .received(1, total: nil)))
        fixture.channel.send(SessionEvent(task: 1, .received(2, total: nil)))
        fixture.end(1, try fixture.download("a"))
        fixture.end(2, try fixture.download("b"))
        // The waiter needs no reader of the session's events.
        _ = try await named.file
        session.finishTasksAndInvalidate()
        var kinds: [String] = []
        for await event in session.events {
            kinds.append("\(event.kind)".prefix { $0 != "(" }.description)
            event.acknowledge()
        }
        #expect(kinds == ["received", "responded", "downloaded", "completed", "invalidated"])
        #expect(fixture.channel.closed == ["s"])
    }

    @Test("L6: a program that awaits files by name ends after them, although it reads no events")
    func ends() async throws {
        let tasks = try [AwaitedSession.snapshot(1, "a", isEnded: true)]
        fixture.channel.content.withLock { $0.tasks = tasks }
        let ends = Mutex(0)
        fixture.application.onEvents { _, done in done() }
        fixture.application.expectLaunch(for: "s")
        let session = try fixture.open()
        fixture.application.handleLaunch(for: "s") { ends.withLock { $0 += 1 } }
        fixture.end(1, try fixture.download("a"))
        _ = try await session.file(for: AwaitedSession.request, id: "a")
        let early = ends.withLock { $0 }
        #expect(early == 0)
        fixture.channel.send(SessionEvent(.finishedEvents))
        await until { ends.withLock { $0 } == 1 }
        let late = ends.withLock { $0 }
        #expect(late == 1)
    }
}
