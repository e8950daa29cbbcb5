// SPDX-License-Identifier: Apache-2.0
internal import GRDB
internal import Glibc
internal import Synchronization
public import TransferModel

/// The past: written beside the queue, read for people and for the lab.
///
/// What is recorded is saved with the next commit, within seconds where there is none: a crash may cost the last of it,
/// and nothing ever waits for it.
extension SQLiteStore {
    /// Takes down what happened to a transfer.
    public func record(_ moment: TransferMoment) {
        writer.performLater { database in try HistoryRows.insert(moment, into: database) }
    }

    /// Takes down what the machine is like, where that differs enough from what was taken down last.
    public func record(_ conditions: Conditions, at time: WallTime) {
        let facts = RecordedFacts(conditions)
        let row = watch.withLock { watch -> HistoryRows.Row? in
            if let last = watch, last.isLike(facts) { return nil }
            defer { watch = facts }
            return HistoryRows.Row(time: time, what: watch == nil ? .begun : .changed, facts: facts)
        }
        if let row { writer.performLater { database in try HistoryRows.insert(row, into: database) } }
    }

    /// Takes down that nobody watches the machine from now on.
    public func recordEndOfWatch(at time: WallTime) {
        let last = watch.withLock { watch in
            defer { watch = nil }
            return watch
        }
        guard let last else { return }
        let row = HistoryRows.Row(time: time, what: .ended, facts: last)
        writer.performLater { database in try HistoryRows.insert(row, into: database) }
    }

    /// A page of what was recorded since then: transfers that anything happened to, with their moments, and after the
    /// last of them conditions from the span in which that date lies.
    ///
    /// ```swift
    /// var place: History.Place? = .start
    /// while let from = place {
    ///     let page = try await store.history(since: monday, from: from)
    ///     print(page.transfers.count)
    ///     place = page.next
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - place: where to begin: `History.next` of the page before.
    ///   - app: only transfers of this app, and no conditions; nil takes everything. A page may be empty and not the last.
    ///   - size: how much the page holds at most.
    public func history(
        since start: WallTime, from place: History.Place = .start, of app: String? = nil,
        size: History.PageSize = History.PageSize()
    ) async throws -> History {
        await writer.flush()
        return try await read { [rows] database in
            var history = History()
            var number: Int64 = 0
            switch place {
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

    /// What happened to one transfer; nil where there is none, or it is no longer kept.
    public func history(of id: TransferID) async throws -> RecordedTransfer? {
        await writer.flush()
        return try await read { [rows] database in
            try HistoryRows.transfer(id.rawValue, rows, in: database)
        }
    }
}

extension WallTime {
    /// What the wall clock shows.
    static var now: WallTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(nanosecondsSinceEpoch: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}
