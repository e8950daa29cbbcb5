// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// How far a transfer has come on its way to its deadline, as ``DefaultPolicy`` counts it: by shares of its time, and by
/// steps of three hours as long as that matters.
struct DefaultStages {
    static let hoursPerStep = 3
    /// Further ahead than a day nothing is told apart.
    static let mostSteps = 8
    private static let step: Int64 = Int64(hoursPerStep) * 3_600_000_000_000

    /// The part of the time that is gone.
    enum Share: Int {
        case early
        case half
        case threeQuarters
        case last
    }

    struct Position {
        var share = Share.early
        /// To the deadline, begun ones included; one more than ``mostSteps`` for more.
        var stepsLeft = mostSteps + 1
    }

    /// How many positions are told apart: from three quarters on no steps are.
    static let count = 2 * (mostSteps + 1) + 2

    private let deadline: WallTime
    /// From when its time counts.
    private let start: WallTime
    /// The last chance or the deadline. May come before the others.
    private let last: WallTime
    /// From when on a metered network will do; nil for never.
    let metered: WallTime?

    /// Nil without a deadline.
    init?(_ subject: PolicySubject, meteredShare: Double) {
        guard let deadline = subject.traits.constraints.deadline else { return nil }
        self.init(
            deadline, submitted: subject.traits.submitted, notBefore: subject.traits.constraints.notBefore?.date,
            last: subject.latestStart(before: deadline.date, safety: 1.5), meteredShare: meteredShare)
    }

    /// - Parameter last: the last chance; nil where there is none before the deadline.
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

    /// When a share of its time is gone. By date: elapsed shares as floating point could fall short at the very moment.
    private func date(_ share: Double) -> WallTime {
        DeadlineConstraint(deadline).date(atShare: share, submitted: start, notBefore: nil)
    }

    /// Where it stands, and when the next position begins; nil at the last one.
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

extension DefaultStages.Position {
    private static let perShare = DefaultStages.mostSteps + 1

    /// Their order in time.
    var number: Int {
        switch share {
        case .early: Self.perShare - stepsLeft
        case .half: 2 * Self.perShare - stepsLeft
        case .threeQuarters: 2 * Self.perShare
        case .last: 2 * Self.perShare + 1
        }
    }

    /// The position with a number.
    init(number: Int) {
        let place = number % DefaultStages.count
        switch place {
        case 2 * Self.perShare: share = .threeQuarters
        case 2 * Self.perShare + 1: share = .last
        default:
            share = place < Self.perShare ? .early : .half
            stepsLeft = Self.perShare - place % Self.perShare
        }
    }
}
