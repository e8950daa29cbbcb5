// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
internal import TransferQueue

// Apps that are started because of their transfers, and the delays of their background work.

extension SchedulerCore where Queue: ~Copyable {
    mutating func cameToFront(_ app: String, at now: Moment, into effects: inout [Effect]) {
        assessment.context.history.apps.used(app, at: now.wall)
        let (hadLimiter, freed) = transfers.relaunchDelays.reset(app)
        if hadLimiter { effects.append(.saveLearned) }
        for id in freed {
            effects.append(.saveRelaunchHold(id, nil))
            if let index = transfers.activeIndex(of: id) {
                transfers.active[index].entry.endRelaunchDelay(at: now)
            } else if var entry = transfers.dequeue(id) {
                entry.endRelaunchDelay(at: now)
                transfers.enqueue(id, entry, assessment)
            }
        }
    }
}
