// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferTesting

@testable import TransferEngine

/// Tests that updates report all events of a transfer, and that commands return their effects.
@Suite(.timeLimit(.minutes(5))) struct EngineStoryTests {
    @Test("A transfer's whole life is told in order, from its submission on")
    func life() async throws {
        let rig = EngineRig()
        try await rig.run { updates in
            let id = try await rig.engine.submit(EngineRig.specification())
            await rig.until("a start") { rig.executor.running == [id] }
            #expect(try await rig.engine.pause(id) == .done)
            #expect(try await rig.engine.pause(id) == .unchanged)
            try await rig.engine.change(id, TransferChange(priority: 9))
            // A change without an effect is not reported.
            try await rig.engine.change(id, TransferChange(priority: 9))
            #expect(try await rig.engine.resume(id) == .done)
            #expect(try await rig.engine.resume(id) == .unchanged)
            #expect(try await rig.engine.cancelAwaitingEnd([id]) == [.done])
            #expect(rig.disk.transfers.first?.ending == .cancelled)
            #expect(try await rig.engine.cancel(id) == .notFound)
            var story: [String] = []
            for _ in 0..<8 { if let text = await updates.next(isWhole: true) { story.append(text) } }
            #expect(
                story == [
                    "1 submitted", "1 started 1", "1 paused", "1 stopped suspended 0", "1 changed", "1 resumed",
                    "1 started 2", "1 cancelled",
                ])
        }
    }

    @Test("A submission is told before its answer, and each update carries the state that follows")
    func states() async throws {
        let registry = TransferRegistry()
        let rig = EngineRig(registry: registry)
        try await rig.run { _ in
            let id = try await rig.engine.submit(EngineRig.specification(), key: "mine")
            #expect(registry.isUnfinished(id))
            await rig.until("a start") { rig.executor.running == [id] }
            rig.executor.progress(id, to: 7, of: 9)
            try await rig.engine.cancelAwaitingEnd([id])
            #expect(registry.status(of: id)?.state == .cancelled && !registry.isUnfinished(id))
            var states: [String] = []
            for await update in rig.engine.updates {
                guard case .transfer(let transfer) = update else { continue }
                if case .submitted(let new) = transfer.kind { #expect(new.key == "mine") }
                states.append(transfer.status.map { "\($0.state) \($0.bytes)" } ?? "none")
                if transfer.kind == .cancelled { break }
            }
            #expect(states == ["waiting 0", "running 0", "running 7", "cancelled 7"])
        }
    }

    @Test("Progress is told four times a second at most, and the last before anything else happens")
    func progress() async throws {
        let rig = EngineRig()
        try await rig.run { updates in
            let id = try await rig.engine.submit(EngineRig.specification())
            await rig.until("a start") { rig.executor.running == [id] }
            for _ in 0..<3 {
                for bytes in 1...100 as ClosedRange<Int64> { rig.executor.progress(id, to: bytes) }
                await rig.engine.ping()
                rig.alarm.advance(by: .milliseconds(250))
            }
            rig.executor.finish(id)
            #expect(
                await updates.next(6) == [
                    "1 started 1", "1 progressed 1", "1 progressed 1", "1 progressed 1", "1 progressed 100",
                    "1 finished 200",
                ])
        }
    }

    @Test("A command about many takes one turn, and says of each what it did")
    func many() async throws {
        let rig = EngineRig(conditions: EngineRig.meteredConditions())
        try await rig.run { _ in
            let ids = try await rig.engine.submit(
                (0..<50).map { _ in NewTransfer(EngineRig.specification(.discretionary)) })
            try await rig.engine.pause(ids[1])
            let commits = rig.disk.commits.count
            let outcomes = try await rig.engine.control(ids + [TransferID(999)], .pause)
            #expect(outcomes[0] == .done && outcomes[1] == .unchanged && outcomes.last == .notFound)
            #expect(rig.disk.commits.count == commits + 1)
            #expect(rig.disk.transfers.allSatisfy { $0.isSuspended })
            #expect(try await rig.engine.cancelAwaitingEnd(ids) == ids.map { _ in .done })
            #expect(rig.disk.transfers.allSatisfy { $0.ending == .cancelled })
        }
    }

    @Test("A cancelled transfer that runs ends with its attempt; who waits for that is answered then")
    func stopping() async throws {
        let rig = EngineRig()
        rig.executor.setStopsAtOnce(false)
        try await rig.run { _ in
            let id = try await rig.engine.submit(EngineRig.specification())
            await rig.until("a start") { rig.executor.running == [id] }
            #expect(try await rig.engine.cancel(id) == .stopping)
            #expect(rig.disk.transfers.first?.ending == nil)
            async let outcomes = rig.engine.cancelAwaitingEnd([id])
            await rig.until("somebody waits") { await rig.engine.loop.awaitedEndCount == 1 }
            rig.executor.stopped(id)
            #expect(try await outcomes == [.done])
            #expect(rig.disk.transfers.first?.ending == .cancelled)
        }
    }

    @Test("Before the first look commands are carried out on what is stored; after the engine's end none is")
    func beforeAndAfter() async throws {
        let rig = EngineRig(conditions: nil)
        try await rig.run { _ in
            let id = try await rig.engine.submit(EngineRig.specification())
            #expect(try await rig.engine.pause(id) == .done)
            #expect(try await rig.engine.pause(id) == .unchanged)
            #expect(try await rig.engine.control([id], .hold(by: "a person", why: "later")) == [.done])
            #expect(try await rig.engine.cancelAwaitingEnd([id]) == [.done])
            #expect(try await rig.engine.cancel(id) == .notFound)
        }
        await #expect(throws: EngineEndedError.self) { try await rig.engine.cancelAwaitingEnd([TransferID(1)]) }
    }
}

extension EngineLoop {
    fileprivate var awaitedEndCount: Int { driver.ends.count }
}
