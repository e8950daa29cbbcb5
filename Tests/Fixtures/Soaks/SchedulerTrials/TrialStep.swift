// SPDX-License-Identifier: Apache-2.0
package import TransferModel
package import TransferPolicy

/// One thing that happens in a trial: concrete, so that leaving other steps out does not change what it is.
///
/// Times are nanoseconds; dates are whole values, not counted from the step.
package enum TrialStep: Hashable, Sendable {
    /// Time passes; whoever asked is woken on the way.
    case pass(Int64)
    /// The wall clock is set forward or back by so much.
    case wallStep(Int64)
    /// A moment comes that nobody asked for: nothing may come of it.
    case probe
    case submit(TransferID, TransferTraits)
    case change(TransferID, TransferTraits)
    case act(Act, TransferID)
    case need(TransferID, AppNeed)
    /// New bytes are there, and perhaps the size is told.
    case progress(TransferID, bytes: Int64, total: Int64?)
    case fail(TransferID, FailureCause, retryAfter: Int64?)
    case fillDisk(TransferID, needed: Int64?)
    case fact(FactChange)
    case app(AppAct, String)
    case budgets([BudgetLine])
    /// What a measurement of room answers; nil leaves it unanswered.
    case room(Int64?)
    /// Whether executors answer a stop at once.
    case answersStops(Bool)
    case policy(String)
    /// The process ends and starts again; on the same boot, or on another one.
    case restart(isReboot: Bool)
    /// The machine is at its best and nobody holds anything back: all that is open must end.
    case drain

    /// What needs no more than a transfer's number.
    package enum Act: String, Hashable, Sendable, CaseIterable {
        case cancel, pause, resume, hold, release, answer, watch, unwatch, startOver, stopped, finish
    }

    package enum AppAct: String, Hashable, Sendable, CaseIterable {
        case used, relaunched, front, abandoned
    }

    package enum FactChange: Hashable, Sendable {
        case power(PowerSource)
        case battery(Int?)
        case profile(PowerProfile)
        case network(Reachability)
        case link(LinkKind)
        case metered(Metered)
        case roaming(Roaming)
        case connection(String?)
        case sleep(SleepState)
        /// The offset from UTC, and perhaps another one from a date on.
        case zone(Int64, from: WallTime?, then: Int64)
    }

    package struct BudgetLine: Hashable, Sendable {
        package var isOfApp: Bool
        package var name: String
        package var limit: Int64
        package var day: Int

        package init(isOfApp: Bool, name: String, limit: Int64, day: Int) {
            self.isOfApp = isOfApp
            self.name = name
            self.limit = limit
            self.day = day
        }
    }
}
