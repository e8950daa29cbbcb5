// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

// What several policies have in common.

extension PolicySubject {
    /// On AC and on a network that costs nothing.
    func strictVerdict(in context: PolicyContext, treatingUnknownAs rule: UnknownMeteredRule) -> Verdict {
        PowerConstraint.ac.verdict(under: context.conditions)
            .and(unmeteredVerdict(under: context.conditions, treatingUnknownAs: rule))
    }

    /// What a megabyte costs now, in the lab's units: 0 on AC and free, 1 more off AC, 4 more on a metered network.
    ///
    /// Above 0 exactly where ``strictVerdict(in:treatingUnknownAs:)`` is a hold.
    func cost(in context: PolicyContext, treatingUnknownAs rule: UnknownMeteredRule) -> Double {
        var cost = context.conditions.power.value == .ac ? 0.0 : 1
        if case .hold = unmeteredVerdict(under: context.conditions, treatingUnknownAs: rule) { cost += 4 }
        return cost
    }

    /// From when its time counts: the later of submission and not-before.
    var begin: WallTime { max(traits.submitted, traits.constraints.notBefore?.date ?? traits.submitted) }

    /// From when on only running at once can still be in time: `safety` × the time that the rest needs.
    ///
    /// Nil where the size is unknown, or the rate is and none is assumed. While a transfer runs the rest shrinks faster
    /// than the time, so by the present numbers alone it would leave its last chance as soon as it takes it, and stop
    /// and start without end. What began in its last chance stays in it.
    func latestStart(before deadline: WallTime, safety: Double, assumedRate: Double? = nil) -> WallTime? {
        func latest(done: Int64, rate: Int64?) -> WallTime? {
            guard let total = bytesTotal else { return nil }
            let rate = rate.flatMap { $0 > 0 ? Double($0) : nil } ?? assumedRate
            guard let rate, rate > 0 else { return nil }
            let remaining = max(0, total.addingSaturating(max(0, done).negatedSaturating))
            let seconds = Double(remaining) / rate * safety
            // Longer than any deadline lies ahead is no last chance but a hopeless one; NaN is neither.
            guard seconds >= 0, seconds < 1e9 else { return nil }
            return deadline.advanced(by: .zero - Duration(clampingSeconds: seconds))
        }
        let present = latest(done: bytesDone, rate: rate)
        guard let start, let atStart = latest(done: start.bytesDone, rate: start.rate), atStart <= start.date else {
            return present
        }
        return atStart
    }
}

extension Verdict {
    /// This verdict as long as `date` has not come, and leave to run from then on.
    ///
    /// The date is only worth a look while the verdict is a hold.
    func until(_ date: WallTime?, in context: PolicyContext) -> Verdict {
        guard let date else { return self }
        guard date > context.now.wall else { return .run(relyingOn: [], lookAgain: nil) }
        guard case .hold = self else { return self }
        return and(.run(relyingOn: [], lookAgain: context.look(at: date)))
    }
}

extension Duration {
    /// So many seconds; what is not a number or negative is none, what is too long is the longest there is.
    init(clampingSeconds seconds: Double) {
        guard seconds > 0 else {
            self = .zero
            return
        }
        self = seconds < 9e9 ? .nanoseconds(Int64(seconds * 1e9)) : .nanoseconds(Int64.max)
    }
}
