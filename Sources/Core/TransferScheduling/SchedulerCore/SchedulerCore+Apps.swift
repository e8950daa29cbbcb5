// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
internal import TransferQueue

// Apps that are started because of their transfers, and what that makes their background work wait for.

extension SchedulerCore where Queue: ~Copyable {
    mutating func relaunched(_ app: String, at now: Moment, into effects: inout [Effect]) -> Bool {
        var limiter = limiters[app] ?? RelaunchLimiter(configuration: configuration.relaunchLimiter)
        limiter.relaunched(at: now.instant)
        limiters[app] = limiter
        effects.append(.saveLearned)
        return false
    }

    mutating func cameToFront(_ app: String, at now: Moment, into effects: inout [Effect]) -> Bool {
        assessment.context.history.apps.used(app, at: now.wall)
        if limiters.removeValue(forKey: app) != nil { effects.append(.saveLearned) }
        for id in delayed.removeValue(forKey: app)?.sorted() ?? [] {
            effects.append(.saveRelaunchHold(id, nil))
            if let index = activeIndex(of: id) {
                active[index].entry.endRelaunchDelay(at: now)
            } else if var entry = dequeue(id) {
                entry.endRelaunchDelay(at: now)
                enqueue(id, entry)
            }
        }
        return true
    }

    mutating func abandonRelaunch(of app: String, at now: Moment, into effects: inout [Effect]) -> Bool {
        guard limiters[app] != nil else { return false }
        limiters[app]?.relaunchAbandoned(at: now.instant)
        effects.append(.saveLearned)
        return false
    }

    /// Lets the limiter of a new transfer's app say how long it waits.
    mutating func askLimiter(
        _ entry: inout TransferEntry, _ id: TransferID, at now: Moment, into effects: inout [Effect]
    ) {
        guard let hold = limiters[entry.traits.app]?.taskStartedInBackground(at: now.instant) else { return }
        delay(&entry, id, by: hold, at: now)
        effects.append(.saveRelaunchHold(id, hold))
        effects.append(.saveLearned)
    }

    /// A transfer becomes another app's: it is over for the limiter that held it, which would wait for its end for good.
    mutating func leaveLimiter(
        _ id: TransferID, of entry: TransferEntry, for newApp: String, at now: Moment, into effects: inout [Effect]
    ) -> TransferEntry {
        let app = entry.traits.app
        guard app != newApp, let delay = entry.relaunchDelay else { return entry }
        var freed = entry
        freed.endRelaunchDelay(at: now)
        delayed[app]?.remove(id)
        limiters[app]?.heldTaskEnded(delay.hold, causesRelaunch: false, at: now.instant)
        effects += [.saveRelaunchHold(id, nil), .saveLearned]
        return freed
    }

    /// Holds a transfer back as its app's limiter has said.
    mutating func delay(_ entry: inout TransferEntry, _ id: TransferID, by hold: RelaunchLimiter.Hold, at now: Moment) {
        let app = entry.traits.app
        guard let limiter = limiters[app], let release = limiter.release(of: hold) else { return }
        let explanation = limiter.explanation(at: now.instant)
        // What somebody has since asked for by themselves waits no longer; the limiter still counts its end (R4).
        entry.relaunchDelay = TransferEntry.RelaunchDelay(
            hold: hold, release: entry.traits.isFromBackground == true ? release : min(release, now.instant),
            delay: explanation.delay, relaunches: explanation.relaunches, since: now)
        delayed[app, default: []].insert(id)
    }
}
