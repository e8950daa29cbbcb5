// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferScheduling
import TransferTesting

@testable import TransferEngine

@Suite struct AwaitedEndsTests {
    /// An owner of awaited ends, as the engine's loop is.
    private actor Owner {
        private let ends: AwaitedEnds
        private let writer: StoreWriter

        init(disk: InMemoryTransferStore.Disk) {
            let (_, updates) = AsyncStream.makeStream(of: EngineUpdate.self)
            writer = StoreWriter(store: InMemoryTransferStore(disk: disk), updates: updates)
            ends = AwaitedEnds(writer: writer)
        }

        var count: Int { ends.count }

        /// Asks for an answer after the ends of some transfers. On return of the outer call it is being waited for.
        func ask(_ outcomes: [ActionOutcome], after stopping: [Int64]) -> Task<[ActionOutcome], any Error> {
            Task {
                try await withCheckedThrowingContinuation {
                    ends.answer($0, outcomes, after: stopping.map(TransferID.init))
                }
            }
        }

        func end(_ id: Int64) { ends.ended(TransferID(id)) }

        func refuse() { ends.refuse() }

        func commit(_ change: StoreChange) async { await writer.commit([change]) }

        func wait(for count: Int) async throws {
            for _ in 0..<10_000 where ends.count != count { try await Task.sleep(for: .milliseconds(1)) }
        }
    }

    private let disk = InMemoryTransferStore.Disk()

    @Test("a command that stops nothing is answered at once, as it is")
    func atOnce() async throws {
        let owner = Owner(disk: disk)
        #expect(
            try await owner.ask([.done, .unchanged, .notFound], after: []).value == [.done, .unchanged, .notFound])
    }

    @Test("a command is answered when the last of its transfers has ended, and only its own")
    func ends() async throws {
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

    @Test("a command whose changes are not saved is answered with the store's trouble")
    func trouble() async throws {
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

    @Test("the end of the engine refuses the commands that still wait")
    func refusal() async throws {
        let owner = Owner(disk: disk)
        let waiting = await owner.ask([.stopping], after: [1])
        try await owner.wait(for: 1)
        await owner.refuse()
        await #expect(throws: EngineEndedError.self) { try await waiting.value }
        #expect(await owner.count == 0)
    }
}
