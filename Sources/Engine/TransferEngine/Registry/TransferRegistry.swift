// SPDX-License-Identifier: Apache-2.0
internal import Synchronization
public import TransferModel

/// The states of all unfinished transfers and of the latest ended transfers.
///
/// The registry is the only source for lists, limits, and objects on a bus. An engine with a registry keeps the
/// registry up to date: a new transfer is present before its submission returns. Each ``TransferUpdate`` carries the
/// resulting state. The creator of the registry adds the stored transfers before the engine runs.
///
/// Any thread may read the registry. Every call locks the registry for its whole duration.
///
/// ```swift
/// let registry = TransferRegistry()
/// for transfer in try await store.unfinished() { registry.add(transfer) }
/// let engine = TransferEngine(…, registry: registry)
/// …
/// let waiting = registry.unfinished { app, _ in app == "org.example.App" }.count { $0.state == .waiting }
/// ```
///
/// ## Topics
/// - ``status(of:)``
/// - ``unfinished(where:)``
/// - ``latestEnded(limit:where:)``
/// - ``usage(where:)``
public final class TransferRegistry: Sendable {
    /// The number and size of an app's unfinished transfers.
    public struct Usage: Hashable, Sendable {
        /// The number of transfers.
        public var count = 0
        /// The bytes of the transfers' addresses, header fields, and names; see
        /// `BookkeepingSize`.
        public var bytes = 0

        /// Creates a usage of no transfers.
        public init() {}
    }

    fileprivate struct State: Sendable {
        var unfinished: [TransferID: UnfinishedTransfer] = [:]
        /// The latest ended transfers, oldest first.
        var ended: [(status: TransferStatus, bytes: Int)] = []
        var endedBytes = 0
        var usage: [String: Usage] = [:]
        /// The number of unfinished transfers of each session.
        var sessions: [SessionKey: Int] = [:]
    }

    private let state = Mutex(State())
    private let endedLimit: (count: Int, bytes: Int)

    /// Creates an empty registry.
    ///
    /// - Parameters:
    ///   - endedLimit: The number of ended transfers that the registry keeps. The store keeps all of them.
    ///   - endedBytes: The limit of the ended transfers' addresses, header fields, and names, in bytes. If the limit
    ///     is exceeded, the oldest ended transfers are removed.
    public init(endedLimit: Int = 1000, endedBytes: Int = 4 << 20) { self.endedLimit = (endedLimit, endedBytes) }

    // MARK: Reading

    /// Returns the state of a transfer, or `nil` if the transfer is unknown or ended long ago.
    ///
    /// For an ended transfer, the method searches the list of ended transfers.
    public func status(of id: TransferID) -> TransferStatus? {
        state.withLock { $0.unfinished[id]?.status ?? $0.ended.last { $0.status.id == id }?.status }
    }

    /// Returns whether the registry contains a transfer that has not ended.
    public func isUnfinished(_ id: TransferID) -> Bool { state.withLock { $0.unfinished[id] != nil } }

    /// Returns the states of the unfinished transfers whose app and session satisfy the closure, in ascending order.
    public func unfinished(where isIncluded: (_ app: String, _ session: String?) -> Bool) -> [TransferStatus] {
        state.withLock { state in
            state.unfinished.values.filter { isIncluded($0.app, $0.session) }.sorted { $0.id < $1.id }.map(\.status)
        }
    }

    /// Returns the IDs of the unfinished transfers whose app satisfies the closure, in ascending order.
    public func unfinishedNumbers(where isIncluded: (_ app: String) -> Bool) -> [TransferID] {
        state.withLock { state in state.unfinished.values.filter { isIncluded($0.app) }.map(\.id).sorted() }
    }

    /// Returns the sessions with unfinished transfers whose app satisfies the closure, in no particular order.
    package func sessions(where isIncluded: (_ app: String) -> Bool) -> [SessionKey] {
        state.withLock { state in state.sessions.keys.filter { isIncluded($0.app) } }
    }

    /// Returns the states of the latest ended transfers whose app and session satisfy the closure, newest first.
    ///
    /// The maximum number of states is `limit`.
    public func latestEnded(
        limit: Int, where isIncluded: (_ app: String, _ session: String?) -> Bool
    ) -> [TransferStatus] {
        state.withLock { state in
            var latest: [TransferStatus] = []
            for (status, _) in state.ended.reversed()
            where latest.count < limit && isIncluded(status.app, status.session) {
                latest.append(status)
            }
            return latest
        }
    }

    /// Returns the total number and size of the unfinished transfers of all apps that satisfy the closure.
    public func usage(where isIncluded: (_ app: String) -> Bool) -> Usage {
        state.withLock { state in
            state.usage.reduce(into: Usage()) { sum, entry in
                guard isIncluded(entry.key) else { return }
                sum.count += entry.value.count
                sum.bytes += entry.value.bytes
            }
        }
    }

    // MARK: Filling

    /// Adds a stored transfer, ended or not. Ended transfers must be added oldest first.
    public func add(_ stored: StoredTransfer) {
        let status = TransferStatus(stored)
        let bytes = BookkeepingSize(of: stored.specification).bytes
        if status.state.isEnded { return state.withLock { $0.remember(status, bytes, limit: endedLimit) } }
        state.withLock { $0.insert(status, bytes) }
    }

    /// Removes ended transfers. Unfinished and unknown transfers are ignored.
    ///
    /// The cost is proportional to the number of ended transfers.
    public func removeEnded(_ ids: Set<TransferID>) {
        state.withLock { state in
            state.ended.removeAll { ids.contains($0.status.id) }
            state.endedBytes = state.ended.reduce(0) { $0 + $1.bytes }
        }
    }

    /// Applies an update to the state of a transfer.
    ///
    /// - Returns: The resulting state, or `nil` if the transfer is unknown or has ended.
    func apply(_ kind: TransferUpdate.Kind, to id: TransferID) -> TransferStatus? {
        state.withLock { state in
            if case .submitted(let transfer) = kind {
                let status = TransferStatus(
                    StoredTransfer(id: id, specification: transfer.specification, resume: transfer.resume))
                state.insert(status, BookkeepingSize(of: transfer.specification).bytes)
                return status
            }
            guard let transfer = state.unfinished[id] else { return nil }
            var status = transfer.status
            status.apply(kind)
            if status.state.isEnded {
                state.remove(transfer)
                state.remember(status, Int(transfer.bookkeepingBytes), limit: endedLimit)
            } else {
                let bytes = Int(transfer.bookkeepingBytes)
                state.unfinished[id] = UnfinishedTransfer(status, bookkeepingBytes: bytes)
            }
            return status
        }
    }
}

extension TransferRegistry.State {
    fileprivate mutating func insert(_ status: TransferStatus, _ bytes: Int) {
        let transfer = UnfinishedTransfer(status, bookkeepingBytes: bytes)
        guard unfinished.updateValue(transfer, forKey: status.id) == nil else { return }
        usage[status.app, default: TransferRegistry.Usage()].count += 1
        usage[status.app]?.bytes += Int(transfer.bookkeepingBytes)
        if let session = transfer.sessionKey { sessions[session, default: 0] += 1 }
    }

    fileprivate mutating func remove(_ transfer: UnfinishedTransfer) {
        unfinished[transfer.id] = nil
        if var left = usage[transfer.app] {
            left.count -= 1
            left.bytes -= Int(transfer.bookkeepingBytes)
            usage[transfer.app] = left.count > 0 ? left : nil
        }
        guard let session = transfer.sessionKey, let count = sessions[session] else { return }
        sessions[session] = count > 1 ? count - 1 : nil
    }

    fileprivate mutating func remember(_ status: TransferStatus, _ bytes: Int, limit: (count: Int, bytes: Int)) {
        ended.append((status, bytes))
        endedBytes += bytes
        // Remove many entries at a time, because removing the first element of an array moves all others.
        guard ended.count >= limit.count + limit.count / 10 + 1 || endedBytes > limit.bytes else { return }
        var (kept, bytesKept) = (0, 0)
        for (_, bytes) in ended.reversed() {
            guard kept < limit.count, bytesKept + bytes <= limit.bytes / 10 * 9 else { break }
            (kept, bytesKept) = (kept + 1, bytesKept + bytes)
        }
        ended.removeFirst(ended.count - kept)
        endedBytes = bytesKept
    }
}

extension UnfinishedTransfer {
    fileprivate var sessionKey: SessionKey? { session.map { SessionKey(app: app, identifier: $0) } }
}
