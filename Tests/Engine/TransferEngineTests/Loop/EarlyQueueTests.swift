// SPDX-License-Identifier: Apache-2.0
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

    /// A queue over the disk, with so many transfers on it.
    private func queue(_ count: Int = 1) async throws -> EarlyQueue {
        let store = InMemoryTransferStore(disk: disk)
        let new = NewTransfer(EngineRig.specification())
        try await store.commit((0..<count).map { _ in .submitted(new, resume: nil) })
        let writer = StoreWriter(store: store, updates: continuation)
        let driver = SchedulerDriver(
            alarm: ManualAlarm(startingAt: EngineRig.start), configuration: SchedulerConfiguration(),
            policy: DefaultPolicy(), seed: 1, records: TransferRecords(store: store, updates: continuation),
            writer: writer, updates: UpdateSink(continuation, registry: nil),
            attempts: Attempts(executor: executor, inbox: Inbox()), ends: AwaitedEnds(writer: writer),
            metrics: EngineMetrics(factory: MemoryMetrics()), savesLearned: false)
        return EarlyQueue(store: store, driver: driver)
    }

    private func stored(_ id: Int64) throws -> StoredTransfer {
        try #require(disk.transfers.first { $0.id == TransferID(id) })
    }

    /// The stored queue as the scheduler gets it: what is handed over first, and what was asked for.
    private func enter(_ queue: EarlyQueue) -> (
        first: [Int64], asked: [RecoveredTransfer], new: [Event], watched: [Int64]
    ) {
        let rest = queue.sift(
            RecoveredTransfers(disk.transfers.filter { $0.ending == nil }.map(RecoveredTransfer.init)))
        let (changed, new, watched) = queue.takeAsked()
        return (rest.map(\.id.rawValue), changed, new, watched.map(\.rawValue))
    }

    @Test("a pause is saved, is unchanged the second time, and goes to the scheduler with the transfer")
    func pause() async throws {
        let queue = try await queue(2)
        #expect(await queue.carryOut(.pause, on: TransferID(2)) == .done)
        #expect(await queue.carryOut(.pause, on: TransferID(2)) == .unchanged)
        #expect(try stored(2).isSuspended)
        let (first, asked, new, _) = enter(queue)
        #expect(first == [1])
        #expect(asked.map(\.id) == [TransferID(2)])
        #expect(asked.map(\.state.isPaused) == [true])
        #expect(new.isEmpty)
        // Nothing is left.
        #expect(enter(queue).first == [1, 2])
    }

    @Test("a command counts though the store could not take it")
    func notSaved() async throws {
        let queue = try await queue()
        disk.fail(with: full)
        #expect(await queue.carryOut(.hold(by: "me", why: "so"), on: TransferID(1)) == .done)
        #expect(try stored(1).hold == nil)
        #expect(await queue.stored(TransferID(1))?.hold == TransferHold(by: "me", why: "so"))
        #expect(enter(queue).asked.map(\.state.held) == [RecoveredHold(by: "me", why: "so")])
    }

    @Test("a hold is released: the scheduler hears of none, whatever the store has")
    func release() async throws {
        let queue = try await queue()
        _ = await queue.carryOut(.hold(by: "me", why: "so"), on: TransferID(1))
        #expect(await queue.carryOut(.hold(by: "me", why: "so"), on: TransferID(1)) == .unchanged)
        disk.fail(with: full)
        #expect(await queue.carryOut(.release, on: TransferID(1)) == .done)
        #expect(try stored(1).hold != nil)
        #expect(enter(queue).asked.map(\.state.held) == [nil])
    }

    @Test("a cancelled transfer has ended: its partial file goes, and neither commands nor the scheduler find it")
    func cancel() async throws {
        let queue = try await queue()
        try await InMemoryTransferStore(disk: disk).commit([
            .checkpointed(TransferID(1), ResumePoint(path: "/p", offset: 5, total: nil, validator: nil, bootID: "b"))
        ])
        #expect(await queue.carryOut(.cancel, on: TransferID(1)) == .done)
        #expect(try stored(1).ending == .cancelled)
        #expect(executor.log == [.discard(path: "/p")])
        #expect(queue.isOver(TransferID(1)))
        #expect(await queue.carryOut(.pause, on: TransferID(1)) == .notFound)
        let (first, asked, _, _) = enter(queue)
        #expect(first.isEmpty && asked.isEmpty)
    }

    @Test("a transfer that waits for its next attempt is due at once when it is resumed; any other is unchanged")
    func resume() async throws {
        let queue = try await queue(2)
        let later = RetryState(attempts: 3, cause: .connection, until: EngineRig.start.wall.advanced(by: .seconds(60)))
        try await InMemoryTransferStore(disk: disk).commit([.retried(TransferID(1), later)])
        #expect(await queue.carryOut(.resume, on: TransferID(1)) == .done)
        #expect(await queue.carryOut(.resume, on: TransferID(2)) == .unchanged)
        #expect(try stored(1).retry?.until == EngineRig.start.wall)
        #expect(enter(queue).asked.map(\.state.retry?.until) == [EngineRig.start.wall])
    }

    @Test("a transfer of an earlier run is handed over as a stored one, with its app's need and whoever watches it")
    func facts() async throws {
        let queue = try await queue(3)
        #expect(queue.take(.appNeeded(TransferID(1), .delayedBegin)))
        #expect(queue.take(.watched(TransferID(2))))
        #expect(queue.take(.watched(TransferID(3))) && queue.take(.unwatched(TransferID(3))))
        #expect(!queue.take(.appUsed("app")), "facts about apps are the scheduler's at once")
        let (first, asked, new, watched) = enter(queue)
        #expect(first.isEmpty && new.isEmpty)
        #expect(asked.map(\.state.need) == [.delayedBegin, nil, nil])
        #expect(watched == [2])
    }

    @Test("a new transfer from the background is submitted anew, for the relaunch limiter, unless it is held back")
    func new() async throws {
        let queue = try await queue(4)
        var specification = EngineRig.specification()
        for number: Int64 in 1...4 { queue.add(TransferID(number), specification.traits, isWatched: number == 1) }
        specification.traits.isFromBackground = true
        for id in [TransferID(2), TransferID(3)] {
            try await InMemoryTransferStore(disk: disk).commit([.respecified(id, specification)])
            queue.change(id, specification.traits)
        }
        _ = await queue.carryOut(.pause, on: TransferID(3))
        let (first, asked, submitted, watched) = enter(queue)
        #expect(first.isEmpty)
        #expect(asked.map(\.id.rawValue) == [1, 3, 4])
        #expect(submitted == [.submitted(TransferID(2), specification.traits)])
        #expect(watched == [1])
    }
}
