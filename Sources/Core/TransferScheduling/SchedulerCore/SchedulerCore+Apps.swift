// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
internal import TransferQueue

// Apps that are started because of their transfers, and the delays of their background work.

extension SchedulerCore where Queue: ~Copyable {
    mutating func cameToFront(_ app: String, at now: Moment, into effects: inout [Effect]) {
        assessment.context.history.apps.used(app, at: now.wall)
        let (hadLimiter, freed) = relaunchDelays.reset(app)
        if hadLimiter { effects.append(.saveLearned) }
        for id in freed {
            effects.append(.saveRelaunchHold(id, nil))
            if let index = activeIndex(of: id) {
                active[index].entry.endRelaunchDelay(at: now)
            } else if var entry = dequeue(id) {
                entry.endRelaunchDelay(at: now)
                enqueue(id, entry)
            }
        }
    }

    /// Ends the delay of a transfer that becomes another app's: the limiter would wait for its end for good.
    mutating func leaveLimiter(
        _ id: TransferID, of entry: TransferEntry, for newApp: String, at now: Moment, into effects: inout [Effect]
    ) -> TransferEntry {
        guard entry.traits.app != newApp, let delay = entry.relaunchDelay else { return entry }
        var freed = entry
        freed.endRelaunchDelay(at: now)
        relaunchDelays.end(delay, of: id, entry.traits.app, causesRelaunch: false, at: now)
        effects += [.saveRelaunchHold(id, nil), .saveLearned]
        return freed
    }
}
