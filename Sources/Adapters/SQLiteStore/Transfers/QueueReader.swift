// SPDX-License-Identifier: Apache-2.0
internal import GRDB
internal import Synchronization
internal import TransferModel
internal import TransferPolicy
internal import TransferScheduling

/// Reads the queue stretch by stretch, ahead of whoever takes them: the connection's thread does not wait for the one
/// that decides. Between two stretches others get their turn.
final class QueueReader: Sendable {
    private struct State {
        /// The last one read.
        var last: Int64 = 0
        /// Stretches that were read and not taken.
        var ahead = 0
        var isReading = false
        var isOver = false
    }

    /// What was read, in its order. To be followed by ``taken()`` each.
    let stretches: AsyncThrowingStream<RecoveredTransfers, any Error>
    private let continuation: AsyncThrowingStream<RecoveredTransfers, any Error>.Continuation
    private let state = Mutex(State())
    private let database: DatabaseQueue
    private let rows: TransferRows
    /// How many transfers are read at once: few enough to stay in the processor's cache until they are taken.
    static let stretchLength = 4096
    /// How many stretches lie ready at most.
    private static let mostAhead = 4

    init(_ database: DatabaseQueue, _ rows: TransferRows) {
        self.database = database
        self.rows = rows
        (stretches, continuation) = AsyncThrowingStream.makeStream()
    }

    /// Begins to read.
    func start() { state.withLock { readOn(&$0) } }

    /// A stretch has been dealt with.
    func taken() {
        state.withLock { state in
            state.ahead -= 1
            readOn(&state)
        }
    }

    private func readOn(_ state: inout State) {
        guard !state.isReading, !state.isOver, state.ahead < Self.mostAhead else { return }
        state.isReading = true
        database.asyncWriteWithoutTransaction { self.read($0) }
    }

    /// Runs on the connection's serial queue.
    private func read(_ database: Database) {
        do {
            let after = state.withLock(\.last)
            let stretch = try rows.stretch(after: after, limit: Self.stretchLength, in: database)
            guard let last = stretch.rows.last?.id.rawValue else { return end(nil) }
            continuation.yield(stretch)
            state.withLock { state in
                (state.last, state.isReading) = (last, false)
                state.ahead += 1
                readOn(&state)
            }
        } catch {
            end(error)
        }
    }

    private func end(_ error: (any Error)?) {
        state.withLock { $0.isOver = true }
        continuation.finish(throwing: error)
    }
}
