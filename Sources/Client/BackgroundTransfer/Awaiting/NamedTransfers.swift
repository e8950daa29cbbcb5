// SPDX-License-Identifier: Apache-2.0
public import Foundation
internal import Synchronization

/// Several named transfers with one progress.
///
/// ```swift
/// let transfers = try await session.transfers(for: ["1": first, "2": second])
/// for await progress in transfers.progress { show(progress.fraction) }
/// let files = try await transfers.files
/// ```
public struct NamedTransfers: Sendable {
    private let transfers: [String: NamedTransfer]
    private let cancelsWithTask: Bool

    /// Creates a set. The transfers themselves must not cancel with their awaiting tasks, because a failure of one
    /// transfer ends the awaiting of the others.
    init(_ transfers: [String: NamedTransfer], cancelsWithTask: Bool) {
        (self.transfers, self.cancelsWithTask) = (transfers, cancelsWithTask)
    }

    /// The names of the transfers, in ascending order.
    public var ids: [String] { transfers.keys.sorted() }

    /// The transfer with a name. `nil` if the set contains no such transfer.
    public subscript(id: String) -> NamedTransfer? { transfers[id] }

    /// The finished files, by name. Awaits the end of all transfers.
    ///
    /// If a transfer fails, the call throws its error at once. The other transfers continue, and their files are
    /// returned by the same call later.
    public var files: [String: URL] {
        get async throws(TransferError) {
            let result: Result<[String: URL], TransferError> = await withTaskGroup(
                of: (String, NamedTransferState.Outcome?).self
            ) { group in
                for (id, transfer) in transfers { group.addTask { (id, await transfer.state.outcome()) } }
                var files: [String: URL] = [:]
                for await (id, outcome) in group {
                    switch outcome {
                    case .success(let file)?: files[id] = file
                    case .failure(let error)?:
                        group.cancelAll()
                        return .failure(error)
                    case nil: return .failure(.awaitingCanceled(id))
                    }
                }
                return .success(files)
            }
            if case .failure(let error) = result, Task.isCancelled, cancelsWithTask, error.code == .canceled {
                cancel()
            }
            return try result.get()
        }
    }

    /// The sum of the progress of all transfers: first the current progress, then each change. Ends with the last
    /// transfer. The total is `nil` while the total of any transfer is unknown.
    public var progress: some AsyncSequence<TransferProgress, Never> & Sendable {
        let transfers = Array(transfers.values)
        let sum = ProgressSum(of: transfers.map(\.state.currentProgress))
        let reading = Task {
            await withTaskGroup { group in
                for (index, transfer) in transfers.enumerated() {
                    group.addTask { for await progress in transfer.progress { sum.update(index, to: progress) } }
                }
            }
            sum.end()
        }
        sum.onTermination { reading.cancel() }
        return sum.stream
    }

    /// Cancels all transfers that have not ended.
    public func cancel() { for transfer in transfers.values { transfer.cancel() } }
}

/// The sum of several progresses, reported after each change.
private final class ProgressSum: Sendable {
    let stream: AsyncStream<TransferProgress>
    private let continuation: AsyncStream<TransferProgress>.Continuation
    private let parts: Mutex<[TransferProgress]>

    init(of parts: [TransferProgress]) {
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.parts = Mutex(parts)
        continuation.yield(Self.sum(of: parts))
    }

    func update(_ index: Int, to progress: TransferProgress) {
        // The sum is reported under the lock, so that no reader receives an earlier sum last.
        parts.withLock { parts in
            guard parts[index] != progress else { return }
            parts[index] = progress
            continuation.yield(Self.sum(of: parts))
        }
    }

    func onTermination(_ body: @escaping @Sendable () -> Void) { continuation.onTermination = { _ in body() } }

    func end() { continuation.finish() }

    private static func sum(of parts: [TransferProgress]) -> TransferProgress {
        TransferProgress(
            bytes: parts.reduce(0) { $0 + $1.bytes },
            total: parts.reduce(0) { sum, part in sum.flatMap { sum in part.total.map { sum + $0 } } })
    }
}
