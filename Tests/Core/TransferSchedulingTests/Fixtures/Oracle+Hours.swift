// SPDX-License-Identifier: Apache-2.0
import TransferModel
import TransferPolicy
import TransferScheduling

/// A plain second implementation of the hours of the day that the default policy learns.
///
/// All observations are kept, and the table is computed again for every request.
struct SeenHours {
    private static let hour: Int64 = 3_600_000_000_000

    /// The observed nanoseconds and the good nanoseconds among them, by hours since the epoch.
    private var hours: [Int64: (seen: Int64, good: Int64)] = [:]
    /// The last hour with an observation. This hour is not complete yet.
    private var last: Int64?
    /// The time since which the present conditions are unchanged, or `nil` before the first conditions.
    private var since: Instant?
    private var isGood = false

    /// Records that the conditions have not changed until now.
    mutating func pass(to now: ClockReading) {
        guard let since else { return }
        var date = now.wall.nanosecondsSinceEpoch - since.duration(to: now.instant).wholeNanoseconds
        while date < now.wall.nanosecondsSinceEpoch {
            let number = date / Self.hour
            let end = min((number + 1) * Self.hour, now.wall.nanosecondsSinceEpoch)
            hours[number, default: (0, 0)].seen += end - date
            if isGood { hours[number, default: (0, 0)].good += end - date }
            last = number
            date = end
        }
        self.since = now.instant
    }

    /// Records new conditions.
    mutating func update(_ conditions: Conditions, at now: ClockReading) {
        pass(to: now)
        since = now.instant
        isGood =
            conditions.sleep.value == .awake && conditions.power.value == .ac
            && (conditions.network.value != .none && conditions.network.value != .portal)
            && UnknownMeteredRule().isMetered(conditions) == nil
    }

    /// Ends the process. The next process knows the observations, but not the present conditions.
    mutating func restart(at now: ClockReading) {
        pass(to: now)
        since = nil
    }

    /// Returns the time before a deadline, in nanoseconds, in which AC is not expected, or `nil` before a complete
    /// day was observed.
    func horizon(at now: ClockReading) -> Int64? {
        var shares: [Int64: Int64] = [:]
        for (number, part) in hours.sorted(by: { $0.key < $1.key }) where number != last && part.seen >= Self.hour / 2 {
            let share = Int64(Double(part.good) / Double(part.seen) * 1_000_000)
            shares[number % 24] = (3 * (shares[number % 24] ?? 0) + share) / 4
        }
        guard shares.count == 24 else { return nil }
        let present = now.wall.nanosecondsSinceEpoch / Self.hour
        let next = (0..<24).first { (shares[(present + Int64($0)) % 24] ?? 0) >= 250_000 }
        let hoursAhead = min(((next.map { $0 + 9 } ?? 24) + 2) / 3 * 3, 24)
        return Int64(hoursAhead) * Self.hour
    }
}

extension Oracle {
    /// Returns whether the default policy does not expect AC before a deadline that is `left` nanoseconds ahead.
    func expectsNoAC(within left: Int64, isRunning: Bool, at now: ClockReading) -> Bool {
        guard let horizon = hours.horizon(at: now) else { return false }
        let step: Int64 = 3 * 3_600_000_000_000
        return left <= min(isRunning ? horizon + step : horizon, 8 * step)
    }
}
