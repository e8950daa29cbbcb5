// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferTesting

@Suite("Batches of transfers", .timeLimit(.minutes(5)))
struct EngineBatchTests {
    private static func many(_ count: Int) -> [NewTransfer] {
        (0..<count).map { NewTransfer(EngineFixture.specification(host: "h\($0)"), key: "key \($0)") }
    }

    private static func slots(_ count: Int) -> SchedulerConfiguration {
        var configuration = SchedulerConfiguration()
        configuration.globalSlots = count
        configuration.slotsPerHost = count
        configuration.slotsPerApp = count
        return configuration
    }

    @Test("A batch is saved in one transaction, and its transfers get IDs and start in order")
    func together() async throws {
        let fixture = EngineFixture()
        try await fixture.run { updates in
            let ids = try await fixture.engine.submit(Self.many(100))
            #expect(ids == (1...100).map { TransferID($0) })
            #expect(fixture.disk.commits.map(\.count) == [100])
            #expect(fixture.disk.transfers.map(\.key) == (0..<100).map { "key \($0)" })
            #expect(await updates.next(4) == ["1 started 1", "2 started 1", "3 started 1", "4 started 1"])
            #expect(fixture.journal.contains(["saved submitted", "executor start"]))
            #expect(try await fixture.engine.submit([]) == [])
        }
    }

    @Test("An invalid transfer is named in the error, and nothing is queued")
    func wrongInTheMiddle() async throws {
        let fixture = EngineFixture()
        try await fixture.run { _ in
            var transfers = Self.many(5)
            transfers[2].specification.url = "http://user:secret@h/x?token=secret"
            transfers[2].specification.traits.constraints.window = WindowConstraint(windows: [])
            transfers[4].key = ""
            let error = await #expect(throws: RefusedTransferError.self) { try await fixture.engine.submit(transfers) }
            #expect(error?.index == 2)
            #expect(error?.description.contains("transfer 3 of 5, http://h/x, ") == true)
            #expect(error?.description.contains("secret") == false)
            transfers[2] = Self.many(1)[0]
            let second = await #expect(throws: RefusedTransferError.self) { try await fixture.engine.submit(transfers) }
            #expect(second?.index == 4)
            try await fixture.waitForInbox()
        }
        #expect(fixture.disk.transfers.map(\.specification.url) == ["http://127.0.0.1/marker"])
    }

    @Test("Ends that arrive during a commit are saved together before their effects are performed")
    func groupedEnds() async throws {
        let fixture = EngineFixture(configuration: Self.slots(3))
        try await fixture.run { updates in
            let ids = try await fixture.engine.submit(Self.many(6))
            _ = await updates.next(3)
            fixture.disk.setHanging(true)
            fixture.executor.finish(ids[0])
            // The engine now waits for the store. The following reports are saved together.
            await fixture.until("the first end is being saved") { fixture.journal.lines.contains("saving ended") }
            fixture.executor.checkpoint(ids[1], at: 5)
            fixture.executor.finish(ids[1])
            fixture.executor.finish(ids[2])
            #expect(fixture.executor.running.isEmpty)
            #expect(fixture.disk.transfers.allSatisfy { $0.ending == nil })
            fixture.disk.setHanging(false)
            #expect(
                Set(await updates.next(6))
                    == [
                        "1 finished 200", "2 finished 200", "3 finished 200", "4 started 1", "5 started 1",
                        "6 started 1",
                    ])
            // A resume point is useless once the transfer has ended.
            let kinds = fixture.disk.commits.dropFirst().map { $0.map { "\($0)".prefix { $0 != "(" } } }
            #expect(kinds == [["ended"], ["ended", "ended"]])
            #expect(fixture.executor.running == Array(ids[3...]))
        }
        #expect(fixture.executor.faults.isEmpty)
    }

    @Test("A decided start is performed before the transfer is stopped")
    func startThenStop() async throws {
        let fixture = EngineFixture(configuration: Self.slots(1))
        try await fixture.run { updates in
            var transfers = Self.many(2)
            transfers[1].specification.traits.kind = .discretionary
            let ids = try await fixture.engine.submit(transfers)
            _ = await updates.next()
            fixture.disk.setHanging(true)
            try await fixture.engine.control([TransferID(99)], .hold(by: "nobody", why: "to keep the engine"))
            fixture.executor.checkpoint(ids[0], at: 1)
            fixture.executor.finish(ids[0])
            fixture.source.send(EngineFixture.meteredConditions())
            fixture.disk.setHanging(false)
            #expect(
                await updates.next(3) == ["1 finished 200", "2 started 1", "2 stopped metered 0"])
            // The files of the finished transfer are removed in between.
            let calls = fixture.executor.log.filter { if case .discard = $0 { false } else { true } }
            #expect(
                calls.prefix(3) == [.start(ids[0], offset: 0), .start(ids[1], offset: 0), .stop(ids[1])])
        }
        #expect(fixture.executor.faults.isEmpty)
    }

    @Test("Messages before the shutdown request are handled; later messages are refused")
    func aroundTheEnd() async throws {
        let fixture = EngineFixture()
        try await fixture.run { updates in
            let ids = try await fixture.engine.submit(Self.many(2))
            _ = await updates.next(2)
            fixture.executor.finish(ids[0])
            fixture.engine.shutDown()
            await #expect(throws: EngineEndedError.self) { try await fixture.engine.submit(Self.many(3)) }
        }
        #expect(fixture.disk.transfers.map { $0.ending != nil } == [true, false])
    }
}
