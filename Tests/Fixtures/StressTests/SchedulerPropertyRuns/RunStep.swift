// SPDX-License-Identifier: Apache-2.0
package import TransferModel
package import TransferPolicy

/// One step of a property test. A step is self-contained, so removing other steps does not change its meaning.
///
/// Times are in nanoseconds. Dates are absolute, not relative to the step.
package enum RunStep: Hashable, Sendable, Codable {
    /// Advances time by some nanoseconds. Requested wake-ups occur on the way.
    case pass(Int64)
    /// Sets the wall clock forward or back by some nanoseconds.
    case wallStep(Int64)
    /// Wakes the scheduler at a time it did not request, which must have no effect.
    case probe
    case submit(TransferID, TransferTraits)
    case change(TransferID, TransferTraits)
    case act(Act, TransferID)
    case need(TransferID, AppNeed)
    /// Reports new bytes, and optionally the total size.
    case progress(TransferID, bytes: Int64, total: Int64?)
    case fail(TransferID, FailureCause, retryAfter: Int64?)
    case runOutOfSpace(TransferID, needed: Int64?)
    case fact(FactChange)
    case app(AppAct, String)
    case budgets([BudgetLine])
    /// Sets the result of measurements of free space. `nil` leaves measurements unanswered.
    case room(Int64?)
    /// Sets whether executors confirm a stop immediately.
    case confirmsStops(Bool)
    case policy(String)
    /// Ends the process and starts it again, on the same boot or on another boot.
    case restart(isReboot: Bool)
    /// Creates ideal conditions and releases everything that blocks transfers. All open transfers must end.
    case finishAll

    /// The actions that need only a transfer's id.
    package enum Act: String, Hashable, Sendable, Codable, CaseIterable {
        case cancel, pause, resume, hold, release, respond, watch, unwatch, startOver, stopped, finish
    }

    package enum AppAct: String, Hashable, Sendable, Codable, CaseIterable {
        case relaunched, front, abandoned
    }

    package enum FactChange: Hashable, Sendable, Codable {
        case power(PowerSource)
        case battery(Int?)
        case profile(PowerProfile)
        case network(Reachability)
        case link(LinkKind)
        case metered(Metered)
        case roaming(Roaming)
        case connection(String?)
        case sleep(SleepState)
        /// The value of a custom condition; `nil` for unknown.
        case custom(String, String?)
        /// The offset from UTC in seconds, and optionally another offset from a date on.
        case zone(Int64, from: WallTime?, then: Int64)
        /// The prices that follow one another from a date on, for a number of seconds each.
        case prices([Int], from: WallTime, each: Int64)
    }

    package struct BudgetLine: Hashable, Sendable, Codable {
        package var isOfApp: Bool
        package var name: String
        package var limit: Int64
        package var day: Int
    }
}

// The steps of a log are stored as JSON.
extension AppNeed: Codable {}
extension PowerProfile: Codable {}
extension Roaming: Codable {}
extension SleepState: Codable {}
