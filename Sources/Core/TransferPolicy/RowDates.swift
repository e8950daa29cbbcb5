// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The dates of a transfer with a deadline from which the rows of a ``PolicyTable`` follow.
struct RowDates {
    private let deadline: WallTime
    private let traits: TransferTraits
    /// The latest start that meets the deadline.
    private let last: WallTime
    /// The start of the current attempt, and the latest start as it was then; `nil` if the transfer is not running.
    private let started: (date: WallTime, last: WallTime)?

    /// Creates the dates of a subject; `nil` if the subject has no deadline.
    init?(_ subject: PolicySubject) {
        guard let deadline = subject.traits.constraints.deadline?.date else { return nil }
        (self.deadline, traits) = (deadline, subject.traits)
        last = min(subject.latestStart(before: deadline) ?? deadline, deadline)
        started = subject.start.map { start in
            let last = subject.startedLatest(before: deadline) ?? deadline
            return (start.date, min(last, deadline))
        }
    }

    /// Returns the number of the row that applies at `now`, and the date of the next row.
    func position<Need>(in rows: [PolicyTable.Row<Need>], at now: WallTime) -> RelaxationPhase {
        var (number, latest) = (0, WallTime(nanosecondsSinceEpoch: .min))
        while number + 1 < rows.count {
            latest = max(latest, date(of: rows[number + 1].start))
            guard latest <= now else { return RelaxationPhase(number, until: latest) }
            number += 1
        }
        return RelaxationPhase(number)
    }

    func date(of start: PolicyTable.Start) -> WallTime {
        switch start {
        case .always: WallTime(nanosecondsSinceEpoch: .min)
        case .deadline: deadline
        case .share(let share): date(atShare: share, notBefore: traits.constraints.notBefore?.date)
        case .slack(let slack): date { $0.earlier(by: slack) }
        case .reserved(let share, let slack, let margin):
            date { min($0.earlier(by: margin), max(reservedUntil(share), $0.earlier(by: slack))) }
        }
    }

    /// Returns whether a date is the end of the time that a row reserves for the rows above.
    func isReserved(_ date: WallTime, _ start: PolicyTable.Start) -> Bool {
        switch start {
        case .share: true
        case .reserved(let share, _, _): date == reservedUntil(share)
        case .always, .deadline, .slack: false
        }
    }

    /// Returns a date that follows from the latest start. While a transfer runs, its need shrinks faster than the time left.
    /// A date that had come when the transfer started therefore stays in the past.
    private func date(_ fromLatestStart: (WallTime) -> WallTime) -> WallTime {
        if let started {
            let startedFrom = fromLatestStart(started.last)
            if startedFrom <= started.date { return startedFrom }
        }
        return fromLatestStart(last)
    }

    private func reservedUntil(_ share: Double) -> WallTime { date(atShare: share, notBefore: nil) }

    private func date(atShare share: Double, notBefore: WallTime?) -> WallTime {
        DeadlineConstraint(deadline).date(atShare: share, submitted: traits.submitted, notBefore: notBefore)
    }
}

extension WallTime {
    /// Returns the date that is earlier by a duration, or the date itself for a negative duration.
    fileprivate func earlier(by duration: Duration) -> WallTime {
        WallTime(nanosecondsSinceEpoch: nanosecondsSinceEpoch.addingSaturating(-max(0, duration.wholeNanoseconds)))
    }
}
