// SPDX-License-Identifier: Apache-2.0
package import TransferModel

// Adds up the time that a transfer waited for a reason of its own, when the reason ends.

extension TransferEntry {
    /// Records that an attempt was under way.
    package mutating func addRun(from start: Moment, to end: Moment) {
        var waits = past ?? PastWaits()
        waits.note(PastWaits.Span(start: start.instant, end: end.instant, isRun: true))
        past = waits
    }

    /// Ends the obstacle of the last attempt.
    package mutating func endObstacle(at now: Moment) {
        guard case .waiting(let obstacle?) = phase else { return }
        switch obstacle {
        case .backoff(_, _, let failed, let until):
            let end = min(now.instant, until)
            // The whole wait was counted when it began, so the rest of it is subtracted.
            barren = max(.zero, barren - max(.zero, now.instant.duration(to: until)))
            past = (past ?? PastWaits()).adding(from: failed.instant, to: end, as: \.backoff)
        case .storage(_, _, let since, _):
            past = (past ?? PastWaits()).adding(from: since.instant, to: now.instant, as: \.storage)
        }
        phase = .waiting(nil)
    }

    /// Ends a pause.
    package mutating func endPause(at now: Moment) {
        guard case .paused(let since) = phase else { return }
        past = (past ?? PastWaits()).adding(from: since.instant, to: now.instant, as: \.suspended)
        phase = .waiting(nil)
    }

    /// Ends a hold.
    package mutating func endHeld(at now: Moment) {
        guard let held else { return }
        past = (past ?? PastWaits()).adding(from: held.since.instant, to: now.instant, as: \.held)
        self.held = nil
    }

    /// Ends the relaunch delay, because the app came to the foreground. Transfers that the app submitted in the
    /// background no longer wait.
    package mutating func endRelaunchDelay(at now: Moment) {
        guard let delay = relaunchDelay else { return }
        let end = min(now.instant, delay.release)
        past = (past ?? PastWaits()).adding(from: delay.since.instant, to: end, as: \.rateLimited)
        relaunchDelay = nil
    }

    /// Ends the need for the app, because the app has done its part.
    package mutating func endNeed(at now: Moment) {
        guard let need else { return }
        past = (past ?? PastWaits()).adding(from: need.since.instant, to: now.instant, as: \.needsApp)
        self.need = nil
    }
}

extension PastWaits {
    fileprivate func adding(
        from start: Instant, to end: Instant, as part: WritableKeyPath<PastWaits, Duration>
    ) -> PastWaits {
        var sum = self
        sum[keyPath: part] += max(.zero, start.duration(to: end))
        sum.note(Span(start: start, end: end, isRun: false))
        return sum
    }
}
