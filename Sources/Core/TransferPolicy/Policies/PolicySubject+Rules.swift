// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

// Rules that several policies share.

extension PolicySubject {
    /// The date from which the transfer's time counts: the later of submission and the earliest start date.
    var begin: WallTime { max(traits.submitted, traits.constraints.notBefore?.date ?? traits.submitted) }

    /// Returns the latest start that meets the deadline if the remaining bytes take ``TransferEstimate/margin`` times as long as
    /// expected.
    ///
    /// A transfer that started in its last chance stays in it. While a transfer runs, its remaining need shrinks faster
    /// than the time. By the current numbers alone, the transfer would leave its last chance immediately, and would
    /// stop and start endlessly.
    ///
    /// The ``estimate`` decides if there is one. Otherwise, the subject's own size and rate decide.
    ///
    /// - Returns: `nil` without an estimate if the size or the rate is unknown.
    func latestStart(before deadline: WallTime) -> WallTime? {
        if let start, let latest = startedLatest(before: deadline),
            latest <= start.date
        {
            return latest
        }
        return Self.latest(before: deadline, after: secondsNeeded)
    }

    /// Returns the latest start as it was when the current attempt started; `nil` if the transfer is not running, or if
    /// its need was unknown.
    func startedLatest(before deadline: WallTime) -> WallTime? {
        Self.latest(
            before: deadline, after: start?.secondsNeeded(of: bytesTotal))
    }

    private static func latest(before deadline: WallTime, after seconds: Double?) -> WallTime? {
        // A need longer than any deadline is ahead is hopeless and no last chance. NaN is neither.
        guard let seconds = seconds.map({ $0 * TransferEstimate.margin }), seconds >= 0, seconds < 1e9 else {
            return nil
        }
        return deadline.advanced(by: .zero - Duration(clampingSeconds: seconds))
    }

    private var secondsNeeded: Double? {
        estimate?.seconds ?? Self.seconds(for: bytesTotal, without: bytesDone, rate)
    }

    fileprivate static func seconds(for total: Int64?, without done: Int64, _ rate: Int64?) -> Double? {
        guard let total, let rate, rate > 0 else { return nil }
        return Double(max(0, total.addingSaturating(max(0, done).negatedSaturating))) / Double(rate)
    }
}

extension PolicySubject.Start {
    fileprivate func secondsNeeded(of total: Int64?) -> Double? {
        if let need { return Double(need.wholeNanoseconds) / 1e9 }
        return PolicySubject.seconds(for: total, without: bytesDone, rate)
    }
}

extension TransferTraits {
    /// The requirement of a policy that uses only unmetered networks, unless the transfer itself allows metered ones.
    var cheapestNeed: PolicyTable.NetworkNeed { constraints.metered == .allowed ? .any : .unmetered }
}

extension Verdict {
    /// Returns this verdict before `date`, and permission to run from then on.
    ///
    /// The date becomes a re-evaluation only if this verdict is a wait.
    func until(_ date: WallTime?, in context: PolicyContext) -> Verdict {
        guard let date else { return self }
        guard date > context.now.wall else { return .run(relyingOn: [], reevaluateAt: nil) }
        guard case .wait = self else { return self }
        return and(.run(relyingOn: [], reevaluateAt: context.reevaluation(at: date)))
    }
}

extension Duration {
    /// Creates a duration in seconds. NaN and negative numbers yield zero, and excessive numbers yield the maximum.
    package init(clampingSeconds seconds: Double) {
        guard seconds > 0 else {
            self = .zero
            return
        }
        self = seconds < 9e9 ? .nanoseconds(Int64(seconds * 1e9)) : .nanoseconds(Int64.max)
    }
}
