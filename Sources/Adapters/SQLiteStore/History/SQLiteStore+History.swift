// SPDX-License-Identifier: Apache-2.0
internal import GRDB
internal import Glibc
internal import LinuxKernel
internal import Synchronization
public import TransferModel

/// The recorded history: written in the same database as the queue, and read for display and for simulations.
///
/// Records are saved with the next commit, or within two seconds if no commit follows. A crash may lose the latest
/// records, and no caller waits for a record.
extension SQLiteStore {
    /// Records an event of a transfer.
    public func record(_ event: TransferHistoryEvent) {
        writer.performLater { database in try HistoryRows.insert(event, into: database) }
    }

    /// Records the conditions of the machine if they differ enough from the last recorded conditions.
    public func record(_ conditions: Conditions, at time: WallTime) {
        let values = StoredConditions(conditions)
        let row = watch.withLock { watch -> HistoryRows.Row? in
            if let last = watch, last.isSimilar(values) { return nil }
            defer { watch = values }
            return HistoryRows.Row(time: time, kind: watch == nil ? .begun : .changed, values: values)
        }
        if let row { writer.performLater { database in try HistoryRows.insert(row, into: database) } }
    }

    /// Records that the machine's conditions are no longer watched.
    public func recordEndOfWatch(at time: WallTime) {
        let last = watch.withLock { watch in
            defer { watch = nil }
            return watch
        }
        guard let last else { return }
        let row = HistoryRows.Row(time: time, kind: .ended, values: last)
        writer.performLater { database in try HistoryRows.insert(row, into: database) }
    }

    /// Returns a page of the history since `start`. Transfers with their events come first. The conditions follow,
    /// beginning with the span that contains `start`.
    ///
    /// ```swift
    /// var position: History.Position? = .start
    /// while let from = position {
    ///     let page = try await store.history(since: monday, from: from)
    ///     print(page.transfers.count)
    ///     position = page.next
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - start: The beginning of the period.
    ///   - position: The position to begin at: `History.next` of the preceding page.
    ///   - app: The app whose transfers are returned, without conditions; `nil` returns everything. With an app, an
    ///     empty page is not necessarily the last.
    ///   - size: The maximum size of the page.
    public func history(
        since start: WallTime, from position: History.Position = .start, of app: String? = nil,
        size: History.PageSize = History.PageSize()
    ) async throws -> History {
        await writer.flush()
        return try await read { [rows] database in
            var history = History()
            var number: Int64 = 0
            switch position {
            case .transfers(let last):
                let (page, next) = try HistoryRows.transfers(
                    since: start, after: last.rawValue, of: app, size, rows, in: database)
                history.transfers = page
                history.next = next.map { .transfers(after: TransferID($0)) }
            case .conditions(let last): number = last
            }
            if history.next == nil && app == nil {
                let (page, next) = try HistoryRows.spans(since: start, after: number, size, in: database)
                history.conditions = page
                history.next = next.map { .conditions(after: $0) }
            }
            return history
        }
    }

    /// Returns the events of one transfer; `nil` if the transfer is unknown or was deleted.
    public func history(of id: TransferID) async throws -> RecordedTransfer? {
        await writer.flush()
        return try await read { [rows] database in
            try HistoryRows.transfer(id.rawValue, rows, in: database)
        }
    }

    /// Removes ended transfers with their events. Unfinished and unknown transfers are ignored.
    ///
    /// - Throws: `TransferStoreError` if the change cannot be saved.
    public func remove(_ ids: [TransferID]) async throws {
        try await change(ids) { id, database in
            try database.execute(
                sql: "DELETE FROM task WHERE id = ?1 AND id IN (SELECT task FROM ended)", arguments: [id.rawValue])
            guard database.changesCount > 0 else { return }
            try database.execute(sql: "DELETE FROM moment WHERE task = ?1", arguments: [id.rawValue])
        }
    }

    /// Leaves ended transfers out of ``ended(limit:)`` from now on. Their history stays. Unfinished and unknown
    /// transfers are ignored.
    ///
    /// - Throws: `TransferStoreError` if the change cannot be saved.
    public func clear(_ ids: [TransferID]) async throws {
        try await change(ids) { id, database in
            try database.execute(
                sql: "INSERT INTO moment (task, time, kind) SELECT task, ?2, ?3 FROM ended WHERE task = ?1",
                arguments: [id.rawValue, WallTime.now.nanosecondsSinceEpoch, HistoryRows.cleared])
        }
    }

    private func change(
        _ ids: [TransferID], _ body: @escaping @Sendable (TransferID, Database) throws -> Void
    ) async throws {
        await writer.flush()
        try await writer.perform { database in
            for id in ids { try body(id, database) }
            return true
        }
    }
}

extension WallTime {
    /// The current time of the wall clock.
    static var now: WallTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(nanosecondsSinceEpoch: time.nanoseconds)
    }
}
