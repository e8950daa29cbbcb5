// SPDX-License-Identifier: Apache-2.0
package import TransferModel

// Adds up the time that a transfer waited for one of its own reasons, when the reason ends.

extension TransferEntry {
    /// Records that an attempt was under way.
    package mutating func addRun(from start: ClockReading, to end: ClockReading) {
        var waits = past ?? PastWaits()
        waits.record(PastWaits.Span(start: start.instant, end: end.instant, isRun: true))
        past = waits
    }

    /// Ends the obstacle of the last attempt.
    package mutating func endObstacle(at now: ClockReading) {
        guard case .waiting(let obstacle?) = phase else { return }
        switch obstacle {
        case .backoff(_, _, let failed, let until):
            let end = min(now.instant, until)
            // The whole wait was counted when it began, so the rest of it is subtracted.
            timeWithoutProgress = max(.zero, timeWithoutProgress - max(.zero, now.instant.duration(to: until)))
            past = (past ?? PastWaits()).adding(from: failed.instant, to: end, as: \.backoff)
        case .storage(_, _, let since, _):
            past = (past ?? PastWaits()).adding(from: since.instant, to: now.instant, as: \.storage)
        }
        phase = .waiting(nil)
    }

    /// Ends a pause.
    package mutating func endPause(at now: ClockReading) {
        guard case .paused(let since) = phase else { return }
        past = (past ?? PastWaits()).adding(from: since.instant, to: now.instant, as: \.suspended)
        phase = .waiting(nil)
    }

    /// Ends a block.
    package mutating func endBlock(at now: ClockReading) {
        guard let held else { return }
        past = (past ?? PastWaits()).adding(from: held.since.instant, to: now.instant, as: \.held)
        self.held = nil
    }

    /// Ends the relaunch delay, because the app came to the foreground. Transfers that the app submitted in the
    /// background no longer wait.
    package mutating func endRelaunchDelay(at now: ClockReading) {
        guard let delay = relaunchDelay else { return }
        let end = min(now.instant, delay.release)
        past = (past ?? PastWaits()).adding(from: delay.since.instant, to: end, as: \.rateLimited)
        relaunchDelay = nil
    }

    /// Ends the need for the app, because the app has acted.
    package mutating func endNeed(at now: ClockReading) {
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
        sum.record(Span(start: start, end: end, isRun: false))
        return sum
    }
}
