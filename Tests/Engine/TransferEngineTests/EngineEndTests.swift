// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferTesting

@Suite(.timeLimit(.minutes(5))) struct EngineEndTests {
    @Test("The end checkpoints what runs and starts nothing, not even what gets a slot by it", arguments: [1, 2])
    func shutDown(times: Int) async throws {
        var configuration = SchedulerConfiguration()
        configuration.globalSlots = 1
        let rig = EngineRig(configuration: configuration)
        try await rig.run { updates in
            let first = try await rig.engine.submit(EngineRig.specification())
            _ = try await rig.engine.submit(EngineRig.specification(), watching: true)
            #expect(await updates.next(2) == ["1 started 1", "2 waiting waitingForSlot"])
            rig.executor.progress(first, to: 77)
            for _ in 0..<times { rig.engine.shutDown() }
            #expect(await updates.next() == "1 progressed 77")
            #expect(await updates.next()?.hasPrefix("1 stopped") == true)
        }
        #expect(rig.executor.log.filter { if case .start = $0 { true } else { false } }.count == 1)
        #expect(rig.disk.transfers.map { $0.resume?.offset } == [77, nil])
        #expect(rig.disk.transfers.allSatisfy { $0.ending == nil })
        #expect(rig.source.isStopped)
        #expect(rig.alarm.due == nil)
    }

    @Test("A cancelled task ends it in the same way")
    func cancelledTask() async throws {
        let rig = EngineRig()
        let running = Task { try await rig.engine.run() }
        let id = try await rig.engine.submit(EngineRig.specification())
        await rig.until("a start") { rig.executor.running == [id] }
        rig.executor.progress(id, to: 31)
        running.cancel()
        try await running.value
        #expect(rig.executor.log == [.start(id, offset: 0), .shutdown])
        #expect(rig.disk.transfers.first?.resume?.offset == 31)
        #expect(rig.journal.lines.last == "store closed")
    }

    @Test("A cancel on its way when the end comes is not forgotten")
    func cancelOnItsWay() async throws {
        let rig = EngineRig()
        rig.executor.setStopsAtOnce(false)
        try await rig.run { updates in
            let id = try await rig.engine.submit(EngineRig.specification())
            _ = await updates.next()
            rig.executor.checkpoint(id, at: 10)
            try await rig.engine.cancel(id)
        }
        #expect(rig.disk.transfers.first?.ending == .cancelled)
        #expect(rig.executor.log.contains(.discard(path: FakeExecutor.path(TransferID(1)))))
    }

    @Test("What finishes while the engine ends is finished")
    func finishedAtTheEnd() async throws {
        let rig = EngineRig()
        try await rig.run { updates in
            let id = try await rig.engine.submit(EngineRig.specification())
            _ = await updates.next()
            rig.engine.shutDown()
            rig.executor.finish(id)
        }
        #expect(rig.disk.transfers.first?.ending != nil)
    }

    @Test("An upload that was answered keeps no place to go on; one that was given up does", arguments: [200, 404])
    func answeredUpload(status: Int) async throws {
        let rig = EngineRig()
        let stored = StoredTransferSamples.upload(1)
        try await rig.run { updates in
            var specification = stored.specification
            specification.traits = EngineRig.specification().traits
            let id = try await rig.engine.submit(specification)
            _ = await updates.next()
            rig.executor.checkpoint(id, at: 10)
            rig.executor.finish(id, status: status)
            _ = await updates.next()
        }
        let ending = try #require(rig.disk.transfers.first?.ending)
        #expect(ending.kept == nil)
        guard case .completed(let completion, _) = ending else {
            Issue.record("\(ending)")
            return
        }
        #expect(completion.status == status)
        #expect(completion.answer != nil)
        #expect(!rig.executor.log.contains { if case .discard = $0 { true } else { false } })
    }

    @Test("Who comes after the end is refused, and the updates end")
    func afterTheEnd() async throws {
        let rig = EngineRig()
        try await rig.run { _ in }
        await #expect(throws: EngineEndedError.self) { try await rig.engine.submit(EngineRig.specification()) }
        var updates = Updates(rig.engine.updates)
        #expect(await updates.next() == nil)
        await #expect(throws: EngineEndedError.self) { try await rig.engine.cancel(TransferID(1)) }
        try await rig.engine.run()
    }

    @Test("A queue that cannot be read ends it with the error, and the ports are closed")
    func unreadable() async throws {
        let disk = InMemoryTransferStore.Disk()
        let store = InMemoryTransferStore(disk: disk)
        await store.close()
        let source = ManualConditionSource(EngineRig.goodConditions())
        let engine = TransferEngine(
            store: store, executor: FakeExecutor(), conditions: source, alarm: ManualAlarm(startingAt: EngineRig.start),
            seed: 1)
        async let refused: TransferID? = try? await engine.submit(EngineRig.specification())
        await #expect(throws: TransferStoreError.self) { try await engine.run() }
        #expect(await refused == nil)
        #expect(source.isStopped)
    }

    @Test("Late reports of an attempt that has ended are dropped")
    func lateReports() async throws {
        let rig = EngineRig()
        try await rig.run { updates in
            let id = try await rig.engine.submit(EngineRig.specification())
            _ = await updates.next()
            let late = LateReports()
            let engine = TransferEngine(
                store: InMemoryTransferStore(), executor: late,
                conditions: ManualConditionSource(EngineRig.goodConditions()),
                alarm: ManualAlarm(startingAt: EngineRig.start), seed: 1)
            async let running: Void = engine.run()
            let other = try await engine.submit(EngineRig.specification())
            var told = Updates(engine.updates)
            #expect(await told.next() == "1 started 1")
            late.report(0, .progressed(bytes: 5, total: nil))
            late.report(0, .ended(.stopped(nil)))
            #expect(await told.next(2) == ["1 progressed 5", "1 started 2"])
            late.report(0, .progressed(bytes: 999, total: nil))
            late.report(0, .ended(.failed(TransferFailure(cause: .certificate, message: "late"), resume: nil)))
            late.report(1, .progressed(bytes: 6, total: nil))
            #expect(await told.next() == "1 progressed 6")
            try await engine.cancel(other)
            late.report(1, .ended(.stopped(nil)))
            #expect(await told.next() == "1 cancelled")
            late.report(1, .progressed(bytes: 7, total: nil))
            engine.shutDown()
            try await running
            #expect(await told.next() == nil)
            try await rig.engine.cancel(id)
        }
    }

    @Test("A hundred transfers, commands and reports from many tasks at once: nothing is lost, nothing hangs")
    func races() async throws {
        let rig = EngineRig()
        try await rig.run { _ in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<100 {
                    group.addTask {
                        let id = try await rig.engine.submit(EngineRig.specification(host: "\(index % 7)"))
                        try await rig.engine.pause(id)
                        rig.executor.progress(id, to: 5)
                        try await rig.engine.resume(id)
                        if index % 5 == 0 { try await rig.engine.cancel(id) }
                        rig.executor.finish(id)
                    }
                }
                group.addTask {
                    for _ in 0..<200 {
                        rig.alarm.advance(by: .seconds(1))
                        rig.source.send(EngineRig.goodConditions())
                        await Task.yield()
                    }
                }
                try await group.waitForAll()
            }
            await rig.until("the end of all") {
                for id in rig.executor.running { rig.executor.finish(id) }
                return rig.disk.transfers.count == 100 && rig.disk.transfers.allSatisfy { $0.ending != nil }
            }
        }
        #expect(rig.executor.faults.isEmpty)
        #expect(rig.disk.transfers.filter { $0.ending == .cancelled }.count <= 20)
    }
}
