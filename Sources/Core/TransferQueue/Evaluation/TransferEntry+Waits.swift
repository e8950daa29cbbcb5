// SPDX-License-Identifier: Apache-2.0
package import TransferModel

// Keeps count of how long a transfer waited for reasons of its own, when such a reason ends.

extension TransferEntry {
    /// An attempt was under way.
    package mutating func addRun(from start: Moment, to end: Moment) {
        var waits = past ?? PastWaits()
        waits.note(PastWaits.Span(start: start.instant, end: end.instant, isRun: true))
        past = waits
    }

    /// What the last attempt ran into is over.
    package mutating func endObstacle(at now: Moment) {
        guard case .waiting(let obstacle?) = phase else { return }
        switch obstacle {
        case .backoff(_, _, let failed, let until):
            let end = min(now.instant, until)
            // The whole wait was counted when it began.
            barren = max(.zero, barren - max(.zero, now.instant.duration(to: until)))
            past = (past ?? PastWaits()).adding(from: failed.instant, to: end, as: \.backoff)
        case .storage(_, _, let since, _):
            past = (past ?? PastWaits()).adding(from: since.instant, to: now.instant, as: \.storage)
        }
        phase = .waiting(nil)
    }

    /// Nobody pauses it any more.
    package mutating func endPause(at now: Moment) {
        guard case .paused(let since) = phase else { return }
        past = (past ?? PastWaits()).adding(from: since.instant, to: now.instant, as: \.suspended)
        phase = .waiting(nil)
    }

    /// Nobody holds it back any more.
    package mutating func endHeld(at now: Moment) {
        guard let held else { return }
        past = (past ?? PastWaits()).adding(from: held.since.instant, to: now.instant, as: \.held)
        self.held = nil
    }

    /// Its app came to the front: what the app gave in the background waits no longer.
    package mutating func endRelaunchDelay(at now: Moment) {
        guard let delay = relaunchDelay else { return }
        let end = min(now.instant, delay.release)
        past = (past ?? PastWaits()).adding(from: delay.since.instant, to: end, as: \.rateLimited)
        relaunchDelay = nil
    }

    /// Its app has done what it had to.
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
