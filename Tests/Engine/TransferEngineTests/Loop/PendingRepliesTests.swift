// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferScheduling
import TransferTesting

@testable import TransferEngine

@Suite struct PendingRepliesTests {
    /// An owner of pending replies, like the engine's loop.
    private actor Owner {
        private let replies: PendingReplies
        private let writer: StoreWriter

        init(disk: InMemoryTransferStore.Disk) {
            let (_, updates) = AsyncStream.makeStream(of: EngineUpdate.self)
            writer = StoreWriter(store: InMemoryTransferStore(disk: disk), updates: updates)
            replies = PendingReplies(writer: writer)
        }

        var count: Int { replies.count }

        /// Sends a reply after the ends of some transfers. When the outer call returns, the reply is pending.
        func ask(_ outcomes: [ActionOutcome], after stopping: [Int64]) -> Task<[ActionOutcome], any Error> {
            Task {
                try await withCheckedThrowingContinuation {
                    replies.send($0, outcomes, after: stopping.map(TransferID.init))
                }
            }
        }

        func end(_ id: Int64) { replies.ended(TransferID(id)) }

        func refuse() { replies.refuse() }

        func commit(_ change: StoreChange) async { await writer.commit([change]) }

        func wait(for count: Int) async throws {
            for _ in 0..<10_000 where replies.count != count { try await Task.sleep(for: .milliseconds(1)) }
        }
    }

    private let disk = InMemoryTransferStore.Disk()

    @Test("A command that stops nothing returns its outcomes immediately")
    func atOnce() async throws {
        let owner = Owner(disk: disk)
        #expect(
            try await owner.ask([.done, .unchanged, .notFound], after: []).value == [.done, .unchanged, .notFound])
    }

    @Test("A command returns when the last of its own transfers has ended")
    func replies() async throws {
        let owner = Owner(disk: disk)
        let first = await owner.ask([.stopping, .unchanged, .stopping], after: [1, 3])
        try await owner.wait(for: 1)
        let second = await owner.ask([.stopping], after: [3])
        try await owner.wait(for: 2)
        await owner.end(2)
        #expect(await owner.count == 2)
        await owner.end(3)
        #expect(await owner.count == 1)
        #expect(try await second.value == [.done])
        await owner.end(1)
        #expect(try await first.value == [.done, .unchanged, .done])
    }

    @Test("A command whose changes are not saved throws the store's error")
    func storeError() async throws {
        let owner = Owner(disk: disk)
        let waiting = await owner.ask([.stopping], after: [1])
        try await owner.wait(for: 1)
        let full = TransferStoreError(code: .diskFull, message: "the disk is full")
        disk.fail(with: full)
        await owner.commit(.ended(TransferID(1), .cancelled))
        await #expect(throws: full) { try await owner.ask([.done], after: []).value }
        await owner.end(1)
        await #expect(throws: full) { try await waiting.value }
    }

    @Test("The end of the engine refuses the commands that still wait")
    func refusal() async throws {
        let owner = Owner(disk: disk)
        let waiting = await owner.ask([.stopping], after: [1])
        try await owner.wait(for: 1)
        await owner.refuse()
        await #expect(throws: EngineEndedError.self) { try await waiting.value }
        #expect(await owner.count == 0)
    }
}
