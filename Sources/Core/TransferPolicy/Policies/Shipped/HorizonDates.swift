// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The dates from which ``HorizonPolicy`` requires less of a transfer with a deadline.
///
/// A position is a set of bits, one for each requirement that no longer applies.
struct HorizonDates {
    /// Battery power is acceptable.
    static let battery = 1
    /// A metered network is acceptable.
    static let metered = 2
    /// Battery power is acceptable with any charge.
    static let anyCharge = 4

    let batteryFrom: WallTime
    /// A Boolean value that indicates whether ``HorizonPolicy/share`` determines ``batteryFrom``.
    let isReserved: Bool
    private let anyChargeFrom: WallTime?
    /// The dates from which and until which a metered network is acceptable; no end if the transfer itself allows it.
    private let meteredFrom: WallTime?
    private let meteredUntil: WallTime?

    /// Creates the dates of a subject; `nil` if the subject has no deadline.
    init?(_ subject: PolicySubject, _ policy: HorizonPolicy, horizonMinutes: Int64) {
        guard let deadline = subject.traits.constraints.deadline?.date else { return nil }
        let last = min(subject.latestStart(before: deadline, safety: HorizonPolicy.safety) ?? deadline, deadline)
        var started: (date: WallTime, last: WallTime)?
        if let start = subject.start {
            let last = subject.startedLatest(before: deadline, safety: HorizonPolicy.safety) ?? deadline
            started = (start.date, min(last, deadline))
        }
        /// Returns a date that follows from the latest start. While a transfer runs, its need shrinks faster than the
        /// time left. A date that had come when the transfer started therefore stays in the past.
        func date(_ fromLatestStart: (WallTime) -> WallTime) -> WallTime {
            if let started {
                let startedFrom = fromLatestStart(started.last)
                if startedFrom <= started.date { return startedFrom }
            }
            return fromLatestStart(last)
        }
        /// Returns the date from which the slack is at most `slack` nanoseconds.
        func date(slack: Int64) -> WallTime { date { $0.earlier(byNanoseconds: slack) } }
        let horizon = horizonMinutes.multipliedSaturating(by: 60_000_000_000)
        let reserved = policy.reservedUntil(deadline, submitted: subject.traits.submitted)
        let batteryFrom = date { last in
            let horizonDate = last.earlier(byNanoseconds: horizon)
            guard let reserved else { return horizonDate }
            return min(
                last.earlier(byNanoseconds: HorizonPolicy.margin.wholeNanoseconds), max(reserved, horizonDate))
        }
        self.batteryFrom = batteryFrom
        isReserved = batteryFrom == reserved
        // Battery power is a condition of any charge.
        anyChargeFrom =
            policy.level == nil ? nil : max(batteryFrom, date(slack: HorizonPolicy.lastHours.wholeNanoseconds))
        let metered = subject.traits.constraints.metered
        let isAllowed = metered == .allowed
        let slack = policy.metered ?? (isAllowed ? HorizonPolicy.meteredSlack : nil)
        meteredFrom = metered == .unmetered ? nil : slack.map { date(slack: $0.wholeNanoseconds) }
        meteredUntil = isAllowed ? nil : deadline
    }

    /// Returns the requirements that do not apply at `now`, and the date of the next change.
    func position(at now: WallTime) -> (bits: Int, until: WallTime?) {
        var (bits, until): (Int, WallTime?) = (0, nil)
        func begin(_ bit: Int, _ date: WallTime?) -> Bool {
            guard let date else { return false }
            if date <= now {
                bits |= bit
                return true
            }
            until = min(until ?? date, date)
            return false
        }
        _ = begin(Self.battery, batteryFrom)
        _ = begin(Self.anyCharge, anyChargeFrom)
        if meteredUntil.map({ $0 > now && (meteredFrom ?? $0) < $0 }) ?? true, begin(Self.metered, meteredFrom),
            let meteredUntil
        {
            until = min(until ?? meteredUntil, meteredUntil)
        }
        return (bits, until)
    }
}

extension WallTime {
    /// Returns the date a number of nanoseconds earlier, or the date itself for a negative number.
    fileprivate func earlier(byNanoseconds distance: Int64) -> WallTime {
        WallTime(nanosecondsSinceEpoch: nanosecondsSinceEpoch.addingSaturating(-max(0, distance)))
    }
}
