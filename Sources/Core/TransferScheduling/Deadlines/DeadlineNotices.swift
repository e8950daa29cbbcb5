// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
internal import TransferQueue

/// The dates at which the deadlines of transfers must be checked, and the states that were reported.
struct DeadlineNotices: ~Copyable, Sendable {
    private var checks = Expiries()
    /// A Boolean value that indicates whether deadlines are checked at all.
    let isEnabled: Bool
    /// The states that were reported, by transfer. Also contains states that an earlier run reported about transfers
    /// that are not recovered yet.
    private(set) var reported: [TransferID: DeadlineState]

    init(isEnabled: Bool, reported: [TransferID: DeadlineState]) {
        (self.isEnabled, self.reported) = (isEnabled, reported)
    }

    /// The date of the next check; `nil` if there is none.
    var next: WallTime? { checks.next }

    /// Adds a transfer whose deadline is checked at the next opportunity.
    mutating func add(_ id: TransferID) {
        checks.remove(id)
        if isEnabled, reported[id] != .missed { checks.add(id, at: Self.atOnce) }
    }

    /// Schedules the next check of a transfer.
    mutating func check(_ id: TransferID, at date: WallTime) { checks.add(id, at: date) }

    mutating func remove(_ id: TransferID) {
        checks.remove(id)
        if !reported.isEmpty { reported[id] = nil }
    }

    /// Schedules a check of every transfer, because their estimates have changed.
    mutating func checkAll() {
        var ids: [TransferID] = []
        while let id = checks.popFirst(at: WallTime(nanosecondsSinceEpoch: .max)) { ids.append(id) }
        for id in ids { checks.add(id, at: Self.atOnce) }
    }

    /// Removes and returns a transfer whose check is due; `nil` if there is none.
    mutating func popDue(at now: WallTime) -> TransferID? { checks.popFirst(at: now) }

    /// Reports a state, unless it was reported before.
    mutating func report(_ state: DeadlineState, of id: TransferID, into effects: inout [Effect]) {
        guard reported[id] != state, reported[id] != .missed else { return }
        reported[id] = state
        // Saved, so that the next run does not repeat the report.
        effects += [.reportDeadline(id, state), .saveStatistics]
    }

    private static let atOnce = WallTime(nanosecondsSinceEpoch: .min)
}
