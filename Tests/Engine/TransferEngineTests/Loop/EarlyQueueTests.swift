// SPDX-License-Identifier: Apache-2.0
import Metrics
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferTesting

@testable import TransferEngine

@Suite struct EarlyQueueTests {
    private let disk = InMemoryTransferStore.Disk()
    private let executor = FakeExecutor()
    private let updates: AsyncStream<EngineUpdate>
    private let continuation: AsyncStream<EngineUpdate>.Continuation
    private let full = TransferStoreError(code: .diskFull, message: "the disk is full")

    init() { (updates, continuation) = AsyncStream.makeStream(of: EngineUpdate.self) }

    /// A queue on top of a disk with the given number of transfers.
    private func queue(_ count: Int = 1) async throws -> EarlyQueue {
        let store = InMemoryTransferStore(disk: disk)
        let new = NewTransfer(EngineFixture.specification())
        try await store.commit((0..<count).map { _ in .submitted(new) })
        let writer = StoreWriter(store: store, updates: continuation)
        let driver = SchedulerDriver(
            alarm: ManualAlarm(startingAt: EngineFixture.start), configuration: SchedulerConfiguration(),
            policy: PatiencePolicy(), seed: 1, records: TransferRecords(store: store, updates: continuation),
            writer: writer, updates: UpdateSink(continuation, registry: nil),
            attempts: Attempts(executor: executor, inbox: Inbox()), replies: PendingReplies(writer: writer),
            metrics: EngineMetrics(factory: NOOPMetricsHandler.instance), savesStatistics: false)
        return EarlyQueue(store: store, driver: driver)
    }

    private func stored(_ id: Int64) throws -> StoredTransfer {
        try #require(disk.transfers.first { $0.id == TransferID(id) })
    }

    /// The stored queue as the scheduler receives it: the unchanged transfers first, then the requested changes.
    private func enter(_ queue: EarlyQueue) -> (
        first: [Int64], requested: [RecoveredTransfer], new: [Event], watched: [Int64]
    ) {
        let rest = queue.sift(
            RecoveredTransfers(disk.transfers.filter { $0.ending == nil }.map(RecoveredTransfer.init)))
        let (changed, new, watched) = queue.removeRequested()
        return (rest.map(\.id.rawValue), changed, new, watched.map(\.rawValue))
    }

    @Test("A pause is saved, is unchanged the second time, and reaches the scheduler with the transfer")
    func pause() async throws {
        let queue = try await queue(2)
        #expect(await queue.carryOut(.pause, on: TransferID(2)) == .done)
        #expect(await queue.carryOut(.pause, on: TransferID(2)) == .unchanged)
        #expect(try stored(2).isSuspended)
        let (first, requested, new, _) = enter(queue)
        #expect(first == [1])
        #expect(requested.map(\.id) == [TransferID(2)])
        #expect(requested.map(\.state.isPaused) == [true])
        #expect(new.isEmpty)
        // Nothing is left.
        #expect(enter(queue).first == [1, 2])
    }

    @Test("A command takes effect even if the store could not save it")
    func notSaved() async throws {
        let queue = try await queue()
        disk.fail(with: full)
        #expect(await queue.carryOut(.hold(by: "me", why: "so"), on: TransferID(1)) == .done)
        #expect(try stored(1).hold == nil)
        #expect(await queue.stored(TransferID(1))?.hold == TransferHold(by: "me", why: "so"))
        #expect(enter(queue).requested.map(\.state.held) == [RecoveredBlock(by: "me", why: "so")])
    }

    @Test("A released hold does not reach the scheduler, whatever the store contains")
    func release() async throws {
        let queue = try await queue()
        _ = await queue.carryOut(.hold(by: "me", why: "so"), on: TransferID(1))
        #expect(await queue.carryOut(.hold(by: "me", why: "so"), on: TransferID(1)) == .unchanged)
        disk.fail(with: full)
        #expect(await queue.carryOut(.release, on: TransferID(1)) == .done)
        #expect(try stored(1).hold != nil)
        #expect(enter(queue).requested.map(\.state.held) == [nil])
    }

    @Test("A canceled transfer loses its partial file, and neither commands nor the scheduler find it")
    func cancel() async throws {
        let queue = try await queue()
        try await InMemoryTransferStore(disk: disk).commit([
            .checkpointed(TransferID(1), ResumePoint(path: "/p", offset: 5, total: nil, validator: nil, bootID: "b"))
        ])
        #expect(await queue.carryOut(.cancel, on: TransferID(1)) == .done)
        #expect(try stored(1).ending == .cancelled)
        #expect(executor.log == [.discard(path: "/p")])
        #expect(queue.isEnded(TransferID(1)))
        #expect(await queue.carryOut(.pause, on: TransferID(1)) == .notFound)
        let (first, requested, _, _) = enter(queue)
        #expect(first.isEmpty && requested.isEmpty)
    }

    @Test("Resuming a transfer in backoff makes it due immediately; other transfers are unchanged")
    func resume() async throws {
        let queue = try await queue(2)
        let later = RetryState(
            attempts: 3, cause: .connection, until: EngineFixture.start.wall.advanced(by: .seconds(60)))
        try await InMemoryTransferStore(disk: disk).commit([.retried(TransferID(1), later)])
        #expect(await queue.carryOut(.resume, on: TransferID(1)) == .done)
        #expect(await queue.carryOut(.resume, on: TransferID(2)) == .unchanged)
        #expect(try stored(1).retry?.until == EngineFixture.start.wall)
        #expect(enter(queue).requested.map(\.state.retry?.until) == [EngineFixture.start.wall])
    }

    @Test("A transfer of an earlier run reaches the scheduler as stored, with its app's need and watch")
    func facts() async throws {
        let queue = try await queue(3)
        #expect(queue.receive(.appNeeded(TransferID(1), .delayedBegin)))
        #expect(queue.receive(.watched(TransferID(2))))
        #expect(queue.receive(.watched(TransferID(3))) && queue.receive(.unwatched(TransferID(3))))
        #expect(!queue.receive(.appCameToFront("app")), "the scheduler handles reports about apps immediately")
        let (first, requested, new, watched) = enter(queue)
        #expect(first.isEmpty && new.isEmpty)
        #expect(requested.map(\.state.need) == [.delayedBegin, nil, nil])
        #expect(watched == [2])
    }

    @Test("A new background transfer is submitted again for the relaunch limiter, unless it is blocked")
    func new() async throws {
        let queue = try await queue(4)
        var specification = EngineFixture.specification()
        for number: Int64 in 1...4 { queue.add(TransferID(number), specification.traits, isWatched: number == 1) }
        specification.traits.isFromBackground = true
        for id in [TransferID(2), TransferID(3)] {
            try await InMemoryTransferStore(disk: disk).commit([.respecified(id, specification)])
            queue.change(id, specification.traits)
        }
        _ = await queue.carryOut(.pause, on: TransferID(3))
        let (first, requested, submitted, watched) = enter(queue)
        #expect(first.isEmpty)
        #expect(requested.map(\.id.rawValue) == [1, 3, 4])
        #expect(submitted == [.submitted(TransferID(2), specification.traits)])
        #expect(watched == [1])
    }
}
