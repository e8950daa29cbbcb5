// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
internal import TransferQueue

/// The dates at which the deadlines of transfers must be checked, and the states that were reported.
///
/// The date from which a deadline is at risk comes earlier as the backlog before the deadline grows. Moving every date
/// each time would cost a step for every transfer. Instead, all dates are stored later by the time that the growth
/// takes, and a check that turns out to be early is scheduled again.
struct DeadlineNotices: ~Copyable, Sendable {
    /// The dates from which deadlines are at risk, plus the ``lead`` at the time of the last check.
    private var risks = Expiries()
    /// The last added transfer, whose first check is due at once. Most checks follow the addition directly, and would
    /// otherwise move through ``risks``.
    private var added: TransferID?
    /// The deadlines of the transfers that are no longer checked before.
    private var deadlines = Expiries()
    /// The time by which any date in ``risks`` may have come earlier since dates were first stored.
    private var lead = Duration.zero
    /// The lowest rate of any estimate behind ``risks``, in bytes per second.
    private var lowestRate = Int64.max
    /// A Boolean value that indicates whether deadlines are checked at all.
    let isEnabled: Bool
    /// The states that were reported, by transfer. Also contains states that an earlier run reported about transfers
    /// that are not recovered yet.
    private(set) var reported: [TransferID: DeadlineState]

    init(isEnabled: Bool, reported: [TransferID: DeadlineState]) {
        (self.isEnabled, self.reported) = (isEnabled, reported)
    }

    /// The date of the next check; `nil` if there is none.
    var next: WallTime? {
        if added != nil { return Self.atOnce }
        guard let risk = risks.next?.advanced(by: .zero - lead) else { return deadlines.next }
        return deadlines.next.map { min($0, risk) } ?? risk
    }

    /// Adds a transfer whose deadline is checked at the next opportunity.
    mutating func add(_ id: TransferID) {
        removeChecks(of: id)
        guard isEnabled, reported[id] != .missed else { return }
        fileAdded()
        added = id
    }

    private mutating func fileAdded() {
        if let added { risks.add(added, at: Self.atOnce) }
        added = nil
    }

    /// Schedules the next check of a transfer on its deadline.
    mutating func check(_ id: TransferID, at deadline: WallTime) { deadlines.add(id, at: deadline) }

    /// Schedules the next check of a transfer on the date from which its deadline is at risk.
    ///
    /// - Parameter rate: The lowest rate that the date rests on, in bytes per second.
    mutating func check(_ id: TransferID, at date: WallTime, rate: Int64) {
        lowestRate = min(lowestRate, rate)
        risks.add(id, at: date.advanced(by: lead))
    }

    mutating func remove(_ id: TransferID) {
        removeChecks(of: id)
        if !reported.isEmpty { reported[id] = nil }
    }

    private mutating func removeChecks(of id: TransferID) {
        guard added != id else { return added = nil }
        risks.remove(id)
        deadlines.remove(id)
    }

    /// Accounts for a backlog that has grown by no more than a number of bytes before each deadline.
    mutating func backlogGrew(by bytes: Int64) {
        lead += Duration(clampingSeconds: Double(bytes) / Double(max(1, lowestRate)))
        // Beyond any useful deadline, the dates would only grow until they overflow.
        if lead > Self.longestLead { checkAll() }
    }

    /// Schedules a check of every transfer, because their estimates have changed.
    mutating func checkAll() {
        fileAdded()
        (lead, lowestRate) = (.zero, .max)
        var ids: [TransferID] = []
        while let id = risks.popFirst(at: WallTime(nanosecondsSinceEpoch: .max)) { ids.append(id) }
        for id in ids { risks.add(id, at: Self.atOnce) }
    }

    /// Removes and returns a transfer whose check is due; `nil` if there is none.
    mutating func popDue(at now: WallTime) -> TransferID? {
        if let only = added, risks.next != Self.atOnce {
            added = nil
            return only
        }
        fileAdded()
        return risks.popFirst(at: now.advanced(by: lead)) ?? deadlines.popFirst(at: now)
    }

    /// Reports a state, unless it was reported before.
    mutating func report(_ state: DeadlineState, of id: TransferID, into effects: inout [Effect]) {
        guard reported[id] != state, reported[id] != .missed else { return }
        reported[id] = state
        // Saved, so that the next run does not repeat the report.
        effects += [.reportDeadline(id, state), .saveStatistics]
    }

    private static let atOnce = WallTime(nanosecondsSinceEpoch: .min)
    private static let longestLead = Duration.seconds(366 * 86_400)
}
