// SPDX-License-Identifier: Apache-2.0
import Synchronization
import Testing
import TransferModel
import TransferScheduling
import TransferTesting

@testable import TransferEngine

@Suite struct StoreWriterTests {
    /// A store that refuses a given change and records the accepted changes.
    private final class PlayedStore: TransferStore {
        private let state = Mutex<(failure: TransferStoreError?, taken: [[StoreChange]])>((nil, []))
        let refused: StoreChange?

        init(refusing refused: StoreChange? = nil) { self.refused = refused }

        var taken: [[StoreChange]] { state.withLock { $0.taken } }

        func fail(_ failure: TransferStoreError?) { state.withLock { $0.failure = failure } }

        func commit(_ changes: [StoreChange]) async throws -> [TransferID] {
            try state.withLock { state in
                if let failure = state.failure { throw failure }
                if let refused, changes.contains(refused) {
                    throw TransferStoreError(code: .noSuchTransfer, message: "gone")
                }
                state.taken.append(changes)
                return []
            }
        }

        func recover(_ receive: @escaping @Sendable (RecoveredTransfers) async -> Void) async throws {}
        func transfers(_ ids: [TransferID]) async throws -> [StoredTransfer] { [] }
        func statistics() async throws -> PersistedStatistics? { nil }
        func close() async {}
    }

    private let stream: AsyncStream<EngineUpdate>
    private let continuation: AsyncStream<EngineUpdate>.Continuation
    private let full = TransferStoreError(code: .diskFull, message: "full")

    init() { (stream, continuation) = AsyncStream.makeStream(of: EngineUpdate.self) }

    private func checkpoint(_ id: Int64) -> StoreChange { .checkpointed(TransferID(id), nil) }

    @Test("Unsaved changes precede the next changes; of checkpoints, only the last is kept")
    func order() async {
        let store = PlayedStore()
        let writer = StoreWriter(store: store, updates: continuation)
        store.fail(full)
        await writer.commit([checkpoint(1), .suspended(TransferID(2), true)])
        await writer.commit([checkpoint(1)])
        #expect(writer.storeError == full)
        store.fail(nil)
        await writer.commit([.ended(TransferID(2), .cancelled)])
        #expect(writer.storeError == nil)
        let all: [StoreChange] = [
            .suspended(TransferID(2), true), checkpoint(1), .ended(TransferID(2), .cancelled),
        ]
        #expect(store.taken == [all])
        continuation.finish()
        var storeErrors = 0
        for await _ in stream { storeErrors += 1 }
        #expect(storeErrors == 1, "the error is reported once")
    }

    @Test("The writer knows that an end is not saved")
    func replies() async {
        let store = PlayedStore()
        let writer = StoreWriter(store: store, updates: continuation)
        store.fail(full)
        await writer.commit([.ended(TransferID(1), .cancelled)])
        #expect(!writer.hasSavedEnd(of: TransferID(1)) && writer.hasSavedEnd(of: TransferID(2)))
    }

    @Test("A change of a removed transfer does not prevent the other changes from being saved")
    func gone() async {
        let store = PlayedStore(refusing: checkpoint(1))
        let writer = StoreWriter(store: store, updates: continuation)
        await writer.commit([checkpoint(1), checkpoint(2)])
        #expect(store.taken == [[checkpoint(2)]])
        #expect(writer.storeError == nil)
    }

    @Test("Deferred changes are saved together and before the next changes")
    func later() async {
        let store = PlayedStore()
        let writer = StoreWriter(store: store, updates: continuation)
        writer.commitLater([checkpoint(1), checkpoint(2)])
        await writer.commit([checkpoint(3)])
        #expect(store.taken == [[checkpoint(1), checkpoint(2)], [checkpoint(3)]] || store.taken.count == 1)
        #expect(store.taken.flatMap(\.self) == [checkpoint(1), checkpoint(2), checkpoint(3)])
    }
}
