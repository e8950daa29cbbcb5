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

    /// What was recorded since then: transfers that anything happened to, with all their moments, and conditions from
    /// the span in which that date lies.
    public func history(since start: WallTime) async throws -> History {
        await writer.flush()
        return try await read { [rows] database in
            History(
                transfers: try HistoryRows.transfers(since: start, rows, in: database),
                conditions: try HistoryRows.spans(since: start, in: database))
        }
    }

    /// What happened to one transfer; nil where there is none, or it is no longer kept.
    public func history(of id: TransferID) async throws -> RecordedTransfer? {
        await writer.flush()
        return try await read { [rows] database in
            try HistoryRows.transfers([id.rawValue], rows, in: database).first
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
