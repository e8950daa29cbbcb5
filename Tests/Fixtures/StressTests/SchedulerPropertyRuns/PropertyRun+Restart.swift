// SPDX-License-Identifier: Apache-2.0
import TransferModel
import TransferPolicy
import TransferScheduling

/// The end of the process, and a new process that continues with the stored state.
extension PropertyRun {
    package enum Recovery: CaseIterable {
        /// Transfers are recovered one by one, and each is decided immediately.
        case oneByOne
        /// All transfers are recovered before any decision.
        case together
        /// All transfers are recovered while the machine is about to sleep, so that no
        /// transfer could start in between.
        case asleep
    }

    /// Simulates a restart of the process with the stored state.
    func restart(isReboot: Bool) {
        let statistics = scheduler.statistics(at: now, boot: "\(boots)")
        if isReboot { boots += 1 }
        let policy = Self.policy(policyName)
        scheduler = Scheduler(
            configuration: setup.configuration, policy: policy, statistics: statistics, boot: "\(boots)",
            startingAt: now)
        if shadow?.restart(policy: policy, expecting: statistics, boot: "\(boots)", at: now) == false {
            model.fault("the reference scheduler has other statistics")
        }
        wake = nil
        shadowWake = nil
        conditions.markStable()
        let every = Recovery.allCases
        recover(model.forgetAll(), recovery ?? every[eventCount % every.count])
    }

    private func recover(_ stored: [(TransferID, SchedulerModel.Known)], _ recovery: Recovery) {
        let sleep = conditions.sleep
        if recovery == .asleep { conditions.sleep.value = .aboutToSleep }
        deliver(.conditionsChanged(conditions))
        if recovery == .oneByOne {
            for (id, known) in stored {
                model.add(id, known.afterRestart(at: now))
                deliver(.recovered(id, known.traits, known.state))
            }
            return
        }
        for (id, known) in stored { model.add(id, known.afterRestart(at: now)) }
        // The transfers arrive in two pieces, as from a store that reads ahead.
        for piece in [stored.prefix(stored.count / 3), stored.dropFirst(stored.count / 3)] {
            let transfers = RecoveredTransfers(
                piece.map { RecoveredTransfer(id: $0, traits: $1.traits, state: $1.state) })
            scheduler.recover(transfers, at: now)
            shadow?.recover(transfers, at: now)
        }
        deliver(.woken)
        conditions.sleep = sleep
        if recovery == .asleep { deliver(.conditionsChanged(conditions)) }
    }
}

extension SchedulerModel.Known {
    /// The state of the transfer after a restart.
    fileprivate func afterRestart(at now: ClockReading) -> SchedulerModel.Known {
        var known = SchedulerModel.Known(traits: traits)
        known.isPaused = isPaused
        (known.bytes, known.total, known.retry) = (bytes, total, retry)
        (known.relaunchDelay, known.reported) = (relaunchDelay, reported)
        known.backoffEnd = isPaused ? nil : retry.map { now.instant(of: $0.until) }
        return known
    }

    /// The state that a store would have for the transfer.
    fileprivate var state: RecoveredState {
        RecoveredState(bytes: bytes, total: total, retry: retry, isPaused: isPaused, relaunchDelay: relaunchDelay)
    }
}

extension Conditions {
    /// Marks every fact as stable, like the initial facts at startup.
    fileprivate mutating func markStable() {
        power.isObservedChange = false
        network.isObservedChange = false
        linkKind.isObservedChange = false
        metered.isObservedChange = false
        connection.isObservedChange = false
        roaming.isObservedChange = false
    }
}
