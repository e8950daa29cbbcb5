// SPDX-License-Identifier: Apache-2.0
import TransferBusClient
import TransferEngine
import TransferModel

/// A follower of a service's transfers, which finishes after all of them have ended.
///
/// ```swift
/// var follower = TransferFollower(count: 2) { print("\($0.id) has ended") }
/// await follower.follow(try await service.updates()) { reporter.show($0) }
/// ```
struct TransferFollower: Sendable {
    /// A Boolean value that indicates whether any transfer, or any command run after it, failed or was canceled.
    var anyFailed = false
    /// The first transfer that failed or was canceled.
    private(set) var firstFailure: TransferStatus?
    /// The server's response to the transfer that completed last. `nil` for a download.
    private(set) var answer: UploadResponse?
    /// The head of the response to the transfer that completed last, if its specification requests it.
    private(set) var head: FinalResponseHead?
    private var ended: Set<TransferID> = []
    private let count: Int
    private let ids: Set<TransferID>?
    private let onEnd: @Sendable (TransferStatus) -> Void

    /// A Boolean value that indicates whether all transfers have ended.
    var isComplete: Bool { ended.count == count }

    /// Creates a follower.
    ///
    /// - Parameters:
    ///   - count: The number of transfers to follow.
    ///   - ids: The transfers, or `nil` if the service has no others.
    ///   - onEnd: A closure that is called once for each transfer, after its end.
    init(count: Int, ids: Set<TransferID>? = nil, onEnd: @escaping @Sendable (TransferStatus) -> Void) {
        (self.count, self.ids, self.onEnd) = (count, ids, onEnd)
    }

    /// Follows the updates until all transfers have ended or the service ends.
    mutating func follow(_ updates: AsyncStream<ServiceUpdate>, show: (ServiceUpdate) -> Void = { _ in }) async {
        guard !isComplete else { return }
        for await update in updates {
            show(update)
            if case .changed(let status, let event) = update { record(status, event) }
            if isComplete { return }
        }
    }

    private mutating func record(_ status: TransferStatus, _ event: TransferEvent?) {
        guard status.state.isEnded, ids?.contains(status.id) != false, ended.insert(status.id).inserted else { return }
        if status.state != .finished {
            anyFailed = true
            firstFailure = firstFailure ?? status
        }
        if case .ended(let completion?) = event?.kind {
            (answer, head) = (completion.answer, completion.response)
        }
        onEnd(status)
    }

    /// Returns after all of the transfers have ended, and prints those that fail.
    ///
    /// - Throws: `ExitCode` of 1 if a transfer failed, or `BusFault` if there is no such transfer.
    static func waitForAll(of ids: Set<TransferID>, by service: some WatchedTransferManager) async throws {
        var follower = TransferFollower(count: ids.count, ids: ids) {
            var renderer = FailureRenderer()
            renderer.show($0, nil)
        }
        // After an update, a daemon leaves the bus for a moment. A daemon that ends again and again has a problem.
        for _ in 0..<3 where !follower.isComplete {
            // Watching starts before the first request, so that no end is missed.
            let updates = try await service.updates()
            for id in ids.sorted() { follower.record(try await service.show(id).status, nil) }
            await follower.follow(updates)
        }
        guard follower.isComplete else {
            throw BusClientError.failed("the daemon ended three times before the transfers; run the command again")
        }
        if follower.anyFailed { throw ExitStatus.failed.code }
    }
}
