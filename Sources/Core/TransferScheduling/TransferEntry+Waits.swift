// SPDX-License-Identifier: Apache-2.0
import TransferPolicy

// Keeps count of how long a transfer waited for reasons of its own, when such a reason ends.

extension TransferEntry {
    /// An attempt has lasted so long.
    mutating func addRun(_ time: Duration) { past = (past ?? PastWaits()).adding(time, to: \.ran) }

    /// What the last attempt ran into is over.
    mutating func endObstacle(at now: Moment) {
        guard case .waiting(let obstacle?) = phase else { return }
        switch obstacle {
        case .backoff(_, _, let failed, let until):
            let end = min(now.instant, until)
            past = (past ?? PastWaits()).adding(failed.instant.duration(to: end), to: \.backoff)
        case .storage(_, _, let since, _):
            past = (past ?? PastWaits()).adding(since.instant.duration(to: now.instant), to: \.storage)
        }
        phase = .waiting(nil)
    }

    /// Nobody pauses it any more.
    mutating func endPause(at now: Moment) {
        guard case .paused(let since) = phase else { return }
        past = (past ?? PastWaits()).adding(since.instant.duration(to: now.instant), to: \.suspended)
        phase = .waiting(nil)
    }

    /// Nobody holds it back any more.
    mutating func endHeld(at now: Moment) {
        guard let held else { return }
        past = (past ?? PastWaits()).adding(held.since.instant.duration(to: now.instant), to: \.held)
        self.held = nil
    }

    /// Its app came to the front: what the app gave in the background waits no longer.
    mutating func endRelaunchDelay(at now: Moment) {
        guard let delay = relaunchDelay else { return }
        let end = min(now.instant, delay.release)
        past = (past ?? PastWaits()).adding(delay.since.instant.duration(to: end), to: \.rateLimited)
        relaunchDelay = nil
    }

    /// Its app has done what it had to.
    mutating func endNeed(at now: Moment) {
        guard let need else { return }
        past = (past ?? PastWaits()).adding(need.since.instant.duration(to: now.instant), to: \.needsApp)
        self.need = nil
    }
}

extension PastWaits {
    fileprivate func adding(_ time: Duration, to part: WritableKeyPath<PastWaits, Duration>) -> PastWaits {
        var sum = self
        sum[keyPath: part] += max(.zero, time)
        return sum
    }
}
