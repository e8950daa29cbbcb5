// SPDX-License-Identifier: Apache-2.0
internal import GRDB
internal import Synchronization
internal import TransferModel
internal import TransferPolicy
internal import TransferScheduling

/// Reads the queue in chunks, ahead of the consumer, so that the connection's thread does not wait for the scheduler.
/// Other work on the connection runs between two chunks.
final class QueueReader: Sendable {
    private struct State {
        /// The ID of the last transfer that was read.
        var last: Int64 = 0
        /// The number of chunks that were read but not consumed.
        var ahead = 0
        var isReading = false
        var isFinished = false
    }

    /// The chunks, in the order of the queue. The consumer reports the end of each chunk.
    let chunks: AsyncThrowingStream<RecoveredTransfers, any Error>
    private let continuation: AsyncThrowingStream<RecoveredTransfers, any Error>.Continuation
    private let state = Mutex(State())
    private let database: DatabaseQueue
    private let rows: TransferRows
    /// The number of transfers per chunk. Few enough for the chunk to stay in the processor's cache until it is
    /// consumed.
    static let chunkLength = 4096
    /// The maximum number of chunks that are read ahead.
    private static let maximumAhead = 4

    init(_ database: DatabaseQueue, _ rows: TransferRows) {
        self.database = database
        self.rows = rows
        (chunks, continuation) = AsyncThrowingStream.makeStream()
    }

    /// Starts reading.
    func start() { state.withLock { readOn(&$0) } }

    /// Reports that the consumer has finished a chunk.
    func consumed() {
        state.withLock { state in
            state.ahead -= 1
            readOn(&state)
        }
    }

    private func readOn(_ state: inout State) {
        guard !state.isReading, !state.isFinished, state.ahead < Self.maximumAhead else { return }
        state.isReading = true
        database.asyncWriteWithoutTransaction { self.read($0) }
    }

    /// Reads one chunk, on the connection's serial queue.
    private func read(_ database: Database) {
        do {
            let after = state.withLock(\.last)
            let chunk = try rows.chunk(after: after, limit: Self.chunkLength, in: database)
            guard let last = chunk.rows.last?.id.rawValue else { return end(nil) }
            continuation.yield(chunk)
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
        state.withLock { $0.isFinished = true }
        continuation.finish(throwing: error)
    }
}
