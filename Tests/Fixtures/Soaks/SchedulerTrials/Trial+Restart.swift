// SPDX-License-Identifier: Apache-2.0
import TransferModel
import TransferPolicy
import TransferScheduling

/// The end of the process, and another one that goes on with what the store knows.
extension Trial {
    package enum Recovery: CaseIterable {
        /// Transfer by transfer, each decided by itself.
        case oneByOne
        /// All of it before anything is decided.
        case atOnce
        /// The same while the machine is about to sleep, so that nothing would have started in between either.
        case asleep
    }

    /// Ends the process and starts it again with what the store knows.
    func restart(isReboot: Bool) {
        let learned = scheduler.learned(at: now, boot: "\(boots)")
        if isReboot { boots += 1 }
        let policy = Self.policy(policyName)
        scheduler = Scheduler(
            configuration: setup.configuration, policy: policy, learned: learned, boot: "\(boots)", startingAt: now)
        if shadow?.restart(policy: policy, expecting: learned, boot: "\(boots)", at: now) == false {
            book.fault("something else was learned")
        }
        wake = nil
        shadowWake = nil
        conditions.settle()
        let every = Recovery.allCases
        recover(book.forgetAll(), recovery ?? every[eventCount % every.count])
    }

    private func recover(_ stored: [(TransferID, TrialBook.Known)], _ recovery: Recovery) {
        let sleep = conditions.sleep
        if recovery == .asleep { conditions.sleep.value = .aboutToSleep }
        deliver(.conditionsChanged(conditions))
        if recovery == .oneByOne {
            for (id, known) in stored {
                book.add(id, known.afterRestart)
                deliver(.recovered(id, known.traits, known.state))
            }
            return
        }
        for (id, known) in stored { book.add(id, known.afterRestart) }
        // In two pieces, as from a store that reads ahead.
        for piece in [stored.prefix(stored.count / 3), stored.dropFirst(stored.count / 3)] {
            let transfers = RecoveredTransfers(
                piece.map { RecoveredTransfer(id: $0, traits: $1.traits, state: $1.state) })
            scheduler.take(transfers, at: now)
            shadow?.take(transfers, at: now)
        }
        deliver(.woken)
        conditions.sleep = sleep
        if recovery == .asleep { deliver(.conditionsChanged(conditions)) }
    }
}

extension TrialBook.Known {
    /// What is left of it when the process comes back.
    fileprivate var afterRestart: TrialBook.Known {
        var known = TrialBook.Known(traits: traits)
        known.isPaused = isPaused
        (known.bytes, known.total, known.retry) = (bytes, total, retry)
        known.hold = hold
        return known
    }

    /// What a store would have of it.
    fileprivate var state: RecoveredState {
        RecoveredState(bytes: bytes, total: total, retry: retry, isPaused: isPaused, relaunchHold: hold)
    }
}
