// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The relaxation phases of ``HoursPolicy``: the elapsed share of a transfer's time, and steps of three hours to
/// its deadline.
///
/// Steps are counted only during the first three quarters of the time, because they do not matter later.
struct HoursPhases {
    static let hoursPerStep = 3
    /// The largest number of steps that are distinguished. Together, the steps cover one day.
    static let mostSteps = 8
    private static let step: Int64 = Int64(hoursPerStep) * 3_600_000_000_000

    /// The elapsed part of a transfer's time.
    enum Share: Int {
        case early
        case half
        case threeQuarters
        case last
    }

    struct Position {
        var share = Share.early
        /// The number of steps to the deadline, including a partial step. One more than ``mostSteps`` stands for any
        /// larger number.
        var stepsLeft = mostSteps + 1
    }

    /// The number of distinct positions. From three quarters of the time on, steps are not distinguished.
    static let count = 2 * (mostSteps + 1) + 2

    private let deadline: WallTime
    /// The date from which the transfer's time counts.
    private let start: WallTime
    /// The last chance or the deadline, whichever is earlier. This date may precede the other dates.
    private let last: WallTime
    /// The date from which a metered network is acceptable, or `nil` for never.
    let metered: WallTime?

    /// Creates the phases of `subject`, or `nil` if the subject has no deadline.
    init?(_ subject: PolicySubject, meteredShare: Double) {
        guard let deadline = subject.traits.constraints.deadline else { return nil }
        self.init(
            deadline, submitted: subject.traits.submitted, notBefore: subject.traits.constraints.notBefore?.date,
            last: subject.latestStart(before: deadline.date, safety: 1.5), meteredShare: meteredShare)
    }

    /// Creates the phases from a transfer's dates.
    ///
    /// - Parameter last: The last chance, or `nil` if there is none before the deadline.
    init(
        _ deadline: DeadlineConstraint, submitted: WallTime, notBefore: WallTime?, last: WallTime?, meteredShare: Double
    ) {
        self.deadline = deadline.date
        start = max(submitted, notBefore ?? submitted)
        self.last = min(last ?? deadline.date, deadline.date)
        metered =
            meteredShare <= 1
            ? deadline.date(atShare: meteredShare, submitted: submitted, notBefore: notBefore) : nil
    }

    /// Returns the date on which a share of the time has elapsed.
    ///
    /// Dates are compared, because a floating-point share could fall short at the very moment of the date.
    private func date(_ share: Double) -> WallTime {
        DeadlineConstraint(deadline).date(atShare: share, submitted: start, notBefore: nil)
    }

    /// Returns the position at `now` and the start of the next position, or `nil` for the last position.
    func position(at now: WallTime) -> (Position, until: WallTime?) {
        guard last > now else { return (Position(share: .last), nil) }
        let half = date(0.5)
        let share: Share = half > now ? .early : .half
        let shareEnd = share == .early ? half : date(0.75)
        guard shareEnd > now else { return (Position(share: .threeQuarters), last) }
        let left = deadline.nanosecondsSinceEpoch.addingSaturating(now.nanosecondsSinceEpoch.negatedSaturating)
        let begun = max(1, (left - 1) / Self.step + 1)
        let steps = min(Int(begun), Self.mostSteps + 1)
        let next = min(shareEnd, last)
        let stepEnd = deadline.nanosecondsSinceEpoch.addingSaturating(-Self.step * Int64(steps - 1))
        guard stepEnd > now.nanosecondsSinceEpoch else { return (Position(share: share, stepsLeft: steps), next) }
        return (
            Position(share: share, stepsLeft: steps), min(next, WallTime(nanosecondsSinceEpoch: stepEnd))
        )
    }
}

extension HoursPhases.Position {
    private static let perShare = HoursPhases.mostSteps + 1

    /// The index of the position in time order.
    var number: Int {
        switch share {
        case .early: Self.perShare - stepsLeft
        case .half: 2 * Self.perShare - stepsLeft
        case .threeQuarters: 2 * Self.perShare
        case .last: 2 * Self.perShare + 1
        }
    }

    /// Creates the position with an index.
    init(number: Int) {
        let index = number % HoursPhases.count
        switch index {
        case 2 * Self.perShare: share = .threeQuarters
        case 2 * Self.perShare + 1: share = .last
        default:
            share = index < Self.perShare ? .early : .half
            stepsLeft = Self.perShare - index % Self.perShare
        }
    }
}
