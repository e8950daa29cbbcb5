// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// The constraints that time alone satisfies and violates again: weekly windows and price limits.
extension Constraints {
    /// A Boolean value that indicates whether there is a weekly window or a price limit.
    package var isTimed: Bool { window != nil || price != nil }

    /// Returns whether the window and the price limit let a transfer run, and the date on which that changes; `nil` if
    /// no such date is known.
    ///
    /// Both must let the transfer run at the same time. Tries at most 1024 dates.
    package func schedule(at now: ClockReading, under conditions: Conditions) -> (isOpen: Bool, change: WallTime?) {
        var then = now
        let isOpen = verdict(at: now, under: conditions).facts != nil
        for _ in 0..<1024 {
            let verdict = verdict(at: then, under: conditions)
            if (verdict.facts != nil) != isOpen { return (isOpen, then.wall) }
            // Without a later low price, no window lets the transfer run.
            if !isOpen, case .wait(_, nil)? = price?.verdict(at: then, under: conditions) { return (false, nil) }
            guard let next = verdict.nextReevaluation, next > then.instant else { return (isOpen, nil) }
            then = now.advanced(by: now.instant.duration(to: next))
        }
        // So many changes without an effect: the next one is a safe date for another look.
        return (isOpen, then.wall)
    }

    private func verdict(at now: ClockReading, under conditions: Conditions) -> Verdict {
        var verdict = Verdict.run(relyingOn: [], reevaluateAt: nil)
        if let window { verdict = window.verdict(at: now, localTime: conditions.localTime) }
        if let price { verdict = verdict.and(price.verdict(at: now, under: conditions)) }
        return verdict
    }
}

extension Verdict {
    /// The moment of the next re-evaluation.
    fileprivate var nextReevaluation: Instant? {
        switch self {
        case .run(_, let reevaluation), .wait(_, let reevaluation): reevaluation
        }
    }
}
