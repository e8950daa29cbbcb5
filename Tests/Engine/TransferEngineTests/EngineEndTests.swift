// SPDX-License-Identifier: Apache-2.0
import Synchronization
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferTesting

@Suite(.timeLimit(.minutes(5))) struct EngineEndTests {
    @Test("The shutdown checkpoints running transfers and starts nothing, even in a free slot", arguments: [1, 2])
    func shutDown(times: Int) async throws {
        var configuration = SchedulerConfiguration()
        configuration.globalSlots = 1
        let fixture = EngineFixture(configuration: configuration)
        try await fixture.run { updates in
            let first = try await fixture.engine.submit(EngineFixture.specification())
            _ = try await fixture.engine.submit(EngineFixture.specification(), watching: true)
            #expect(await updates.next(2) == ["1 started 1", "2 waiting waitingForSlot"])
            fixture.executor.progress(first, to: 77)
            for _ in 0..<times { fixture.engine.shutDown() }
            #expect(await updates.next() == "1 progressed 77")
            #expect(await updates.next()?.hasPrefix("1 stopped") == true)
        }
        #expect(fixture.executor.log.filter { if case .start = $0 { true } else { false } }.count == 1)
        #expect(fixture.disk.transfers.map { $0.resume?.offset } == [77, nil])
        #expect(fixture.disk.transfers.allSatisfy { $0.ending == nil })
        #expect(fixture.source.isStopped)
        #expect(fixture.alarm.due == nil)
    }

    @Test("Canceling the task ends the engine in the same way")
    func cancelledTask() async throws {
        let fixture = EngineFixture()
        let running = Task { try await fixture.engine.run() }
        let id = try await fixture.engine.submit(EngineFixture.specification())
        await fixture.until("a start") { fixture.executor.running == [id] }
        fixture.executor.progress(id, to: 31)
        running.cancel()
        try await running.value
        #expect(fixture.executor.log == [.start(id, offset: 0), .shutdown])
        #expect(fixture.disk.transfers.first?.resume?.offset == 31)
        #expect(fixture.journal.lines.last == "store closed")
    }

    @Test("A cancellation in progress during the shutdown takes effect")
    func cancelOnItsWay() async throws {
        let fixture = EngineFixture()
        fixture.executor.setStopsAtOnce(false)
        try await fixture.run { updates in
            let id = try await fixture.engine.submit(EngineFixture.specification())
            _ = await updates.next()
            fixture.executor.checkpoint(id, at: 10)
            try await fixture.engine.cancel(id)
        }
        #expect(fixture.disk.transfers.first?.ending == .cancelled)
        #expect(fixture.executor.log.contains(.discard(path: FakeExecutor.path(TransferID(1)))))
    }

    @Test("A completed upload keeps no resume point; an upload that was given up does", arguments: [200, 404])
    func answeredUpload(status: Int) async throws {
        let fixture = EngineFixture()
        let stored = StoredTransferSamples.upload(1)
        try await fixture.run { updates in
            var specification = stored.specification
            specification.traits = EngineFixture.specification().traits
            let id = try await fixture.engine.submit(specification)
            _ = await updates.next()
            fixture.executor.checkpoint(id, at: 10)
            fixture.executor.finish(id, status: status)
            _ = await updates.next()
        }
        let ending = try #require(fixture.disk.transfers.first?.ending)
        #expect(ending.kept == nil)
        guard case .completed(let completion, _) = ending else {
            Issue.record("\(ending)")
            return
        }
        #expect(completion.status == status)
        #expect(completion.answer != nil)
        #expect(!fixture.executor.log.contains { if case .discard = $0 { true } else { false } })
    }

    @Test("Calls after the end are refused, and the updates end")
    func afterTheEnd() async throws {
        let fixture = EngineFixture()
        try await fixture.run { _ in }
        await #expect(throws: EngineEndedError.self) { try await fixture.engine.submit(EngineFixture.specification()) }
        var updates = Updates(fixture.engine.updates)
        #expect(await updates.next() == nil)
        await #expect(throws: EngineEndedError.self) { try await fixture.engine.cancel(TransferID(1)) }
        try await fixture.engine.run()
    }

    @Test("An unreadable queue ends the engine with the error, and the ports are closed")
    func unreadable() async throws {
        let disk = InMemoryTransferStore.Disk()
        let store = InMemoryTransferStore(disk: disk)
        await store.close()
        let source = ManualConditionSource(EngineFixture.goodConditions())
        let engine = TransferEngine(
            store: store, executor: FakeExecutor(), conditions: source,
            alarm: ManualAlarm(startingAt: EngineFixture.start),
            seed: 1)
        async let refused: TransferID? = try? await engine.submit(EngineFixture.specification())
        await #expect(throws: TransferStoreError.self) { try await engine.run() }
        #expect(await refused == nil)
        #expect(source.isStopped)
    }

    @Test(
        "An idle engine stops the conditions while the executor ends, and a busy one after the save",
        arguments: [true, false])
    func conditionsAtTheEnd(isIdle: Bool) async throws {
        let source = ManualConditionSource(EngineFixture.goodConditions())
        let executor = SlowEnd(source: source, yields: isIdle ? 100_000 : 1000)
        let engine = TransferEngine(
            store: InMemoryTransferStore(), executor: executor, conditions: source,
            alarm: ManualAlarm(startingAt: EngineFixture.start), seed: 1)
        async let running: Void = engine.run()
        let id = try await engine.submit(EngineFixture.specification())
        var lines = Updates(engine.updates)
        #expect(await lines.next() == "1 started 1")
        if isIdle {
            executor.base.finish(id)
            #expect(await lines.next()?.hasPrefix("1 finished") == true)
        }
        engine.shutDown()
        try await running
        #expect(executor.conditionsHadStopped.withLock { $0 } == isIdle)
        #expect(source.isStopped)
    }

    @Test("Late reports of an attempt that has ended are dropped")
    func lateReports() async throws {
        let fixture = EngineFixture()
        try await fixture.run { updates in
            let id = try await fixture.engine.submit(EngineFixture.specification())
            _ = await updates.next()
            let late = LateReports()
            let engine = TransferEngine(
                store: InMemoryTransferStore(), executor: late,
                conditions: ManualConditionSource(EngineFixture.goodConditions()),
                alarm: ManualAlarm(startingAt: EngineFixture.start), seed: 1)
            async let running: Void = engine.run()
            let other = try await engine.submit(EngineFixture.specification())
            var lines = Updates(engine.updates)
            #expect(await lines.next() == "1 started 1")
            late.report(0, .progressed(bytes: 5, total: nil))
            late.report(0, .ended(.stopped(nil)))
            #expect(await lines.next(2) == ["1 progressed 5", "1 started 2"])
            late.report(0, .progressed(bytes: 999, total: nil))
            late.report(0, .ended(.failed(TransferFailure(cause: .certificate, message: "late"), resume: nil)))
            late.report(1, .progressed(bytes: 6, total: nil))
            #expect(await lines.next() == "1 progressed 6")
            try await engine.cancel(other)
            late.report(1, .ended(.stopped(nil)))
            #expect(await lines.next() == "1 cancelled")
            late.report(1, .progressed(bytes: 7, total: nil))
            engine.shutDown()
            try await running
            #expect(await lines.next() == nil)
            try await fixture.engine.cancel(id)
        }
    }

    @Test("A hundred transfers with concurrent commands and reports: nothing is lost, nothing hangs")
    func races() async throws {
        let fixture = EngineFixture()
        try await fixture.run { _ in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<100 {
                    group.addTask {
                        let id = try await fixture.engine.submit(EngineFixture.specification(host: "\(index % 7)"))
                        try await fixture.engine.pause(id)
                        fixture.executor.progress(id, to: 5)
                        try await fixture.engine.resume(id)
                        if index % 5 == 0 { try await fixture.engine.cancel(id) }
                        fixture.executor.finish(id)
                    }
                }
                group.addTask {
                    for _ in 0..<200 {
                        fixture.alarm.advance(by: .seconds(1))
                        fixture.source.send(EngineFixture.goodConditions())
                        await Task.yield()
                    }
                }
                try await group.waitForAll()
            }
            await fixture.until("the end of all") {
                for id in fixture.executor.running { fixture.executor.finish(id) }
                return fixture.disk.transfers.count == 100 && fixture.disk.transfers.allSatisfy { $0.ending != nil }
            }
        }
        #expect(fixture.executor.faults.isEmpty)
        #expect(fixture.disk.transfers.filter { $0.ending == .cancelled }.count <= 20)
    }
}

/// An executor whose shutdown ends once the condition source has stopped, or after a number of yields.
private final class SlowEnd: TransferExecutor {
    let base = FakeExecutor()
    let conditionsHadStopped = Mutex(false)
    private let source: ManualConditionSource
    private let yields: Int

    init(source: ManualConditionSource, yields: Int) { (self.source, self.yields) = (source, yields) }

    func start(_ job: TransferJob, reporting report: @escaping @Sendable (ExecutorReport) -> Void) {
        base.start(job, reporting: report)
    }
    func stop(_ id: TransferID) { base.stop(id) }
    func discard(_ job: TransferJob) { base.discard(job) }
    func availableSpace(for specification: TransferSpecification) -> Int64? { base.availableSpace(for: specification) }

    func shutdown() async {
        for _ in 0..<yields where !source.isStopped { await Task.yield() }
        conditionsHadStopped.withLock { $0 = source.isStopped }
        await base.shutdown()
    }
}
