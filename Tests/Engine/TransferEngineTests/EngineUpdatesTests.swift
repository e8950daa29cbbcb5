// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferTesting

@testable import TransferEngine

/// Tests that updates report all events of a transfer, and that commands return their effects.
@Suite(.timeLimit(.minutes(5))) struct EngineUpdatesTests {
    @Test("Updates report every event of a transfer in order, starting with its submission")
    func life() async throws {
        let fixture = EngineFixture()
        try await fixture.run { updates in
            let id = try await fixture.engine.submit(EngineFixture.specification())
            await fixture.until("a start") { fixture.executor.running == [id] }
            #expect(try await fixture.engine.pause(id) == .done)
            #expect(try await fixture.engine.pause(id) == .unchanged)
            try await fixture.engine.change(id, TransferChange(priority: 9))
            // A change without an effect is not reported.
            try await fixture.engine.change(id, TransferChange(priority: 9))
            #expect(try await fixture.engine.resume(id) == .done)
            #expect(try await fixture.engine.resume(id) == .unchanged)
            #expect(try await fixture.engine.cancelAwaitingEnd([id]) == [.done])
            #expect(fixture.disk.transfers.first?.ending == .cancelled)
            #expect(try await fixture.engine.cancel(id) == .notFound)
            var story: [String] = []
            for _ in 0..<8 { if let text = await updates.next(isWhole: true) { story.append(text) } }
            #expect(
                story == [
                    "1 submitted", "1 started 1", "1 paused", "1 stopped suspended 0", "1 changed", "1 resumed",
                    "1 started 2", "1 cancelled",
                ])
        }
    }

    @Test("A restarted attempt is reported with its cause, and has no bytes")
    func restarts() async throws {
        let registry = TransferRegistry()
        let fixture = EngineFixture(registry: registry)
        try await fixture.run { updates in
            let id = try await fixture.engine.submit(EngineFixture.specification())
            await fixture.until("a start") { fixture.executor.running == [id] }
            fixture.executor.progress(id, to: 7, of: 9)
            fixture.executor.restart(id)
            try await fixture.waitForInbox()
            #expect(registry.status(of: id)?.bytes == 0)
            var story: [String] = []
            for _ in 0..<4 { if let text = await updates.next(isWhole: true) { story.append(text) } }
            #expect(story.suffix(2) == ["1 progressed 7", "1 restarted notResumable"])
        }
    }

    @Test("A submission is reported before it returns, and each update carries the resulting state")
    func states() async throws {
        let registry = TransferRegistry()
        let fixture = EngineFixture(registry: registry)
        try await fixture.run { _ in
            let id = try await fixture.engine.submit(EngineFixture.specification(), key: "mine")
            #expect(registry.isUnfinished(id))
            await fixture.until("a start") { fixture.executor.running == [id] }
            fixture.executor.progress(id, to: 7, of: 9)
            try await fixture.engine.cancelAwaitingEnd([id])
            #expect(registry.status(of: id)?.state == .cancelled && !registry.isUnfinished(id))
            var states: [String] = []
            for await update in fixture.engine.updates {
                guard case .transfer(let transfer) = update else { continue }
                if case .submitted(let new) = transfer.kind { #expect(new.key == "mine") }
                states.append(transfer.status.map { "\($0.state) \($0.bytes)" } ?? "none")
                if transfer.kind == .cancelled { break }
            }
            #expect(states == ["waiting 0", "running 0", "running 7", "cancelled 7"])
        }
    }

    @Test("A command about several transfers takes one turn and returns an outcome for each")
    func many() async throws {
        let fixture = EngineFixture(conditions: EngineFixture.meteredConditions())
        try await fixture.run { _ in
            let ids = try await fixture.engine.submit(
                (0..<50).map { _ in NewTransfer(EngineFixture.specification(.discretionary)) })
            try await fixture.engine.pause(ids[1])
            let commits = fixture.disk.commits.count
            let outcomes = try await fixture.engine.control(ids + [TransferID(999)], .pause)
            #expect(outcomes[0] == .done && outcomes[1] == .unchanged && outcomes.last == .notFound)
            #expect(fixture.disk.commits.count == commits + 1)
            #expect(fixture.disk.transfers.allSatisfy { $0.isSuspended })
            #expect(try await fixture.engine.cancelAwaitingEnd(ids) == ids.map { _ in .done })
            #expect(fixture.disk.transfers.allSatisfy { $0.ending == .cancelled })
        }
    }

    @Test("A canceled running transfer ends with its attempt, and the waiting caller returns then")
    func stopping() async throws {
        let fixture = EngineFixture()
        fixture.executor.setStopsAtOnce(false)
        try await fixture.run { _ in
            let id = try await fixture.engine.submit(EngineFixture.specification())
            await fixture.until("a start") { fixture.executor.running == [id] }
            #expect(try await fixture.engine.cancel(id) == .stopping)
            #expect(fixture.disk.transfers.first?.ending == nil)
            async let outcomes = fixture.engine.cancelAwaitingEnd([id])
            await fixture.until("a waiting caller") { await fixture.engine.loop.awaitedEndCount == 1 }
            fixture.executor.stopped(id)
            #expect(try await outcomes == [.done])
            #expect(fixture.disk.transfers.first?.ending == .cancelled)
        }
    }
}

extension EngineLoop {
    fileprivate var awaitedEndCount: Int { driver.replies.count }
}
