// SPDX-License-Identifier: Apache-2.0
import ToolSupport
import TransferEngine
import TransferModel
import TransferPolicy

/// The conditions for a command: those of the machine, with the hold that a daemon reports and the user's assumptions.
///
/// A machine that is about to sleep suspends commands by itself, so the announcement of sleep is left out.
struct CommandConditions: Sendable {
    /// The adjusted conditions.
    let source: AdjustedConditions
    private let now: @Sendable () -> ClockReading
    private let adjustment: @Sendable (Fact<MachineHold?>?) -> AdjustedConditions.Adjustment

    /// Creates the conditions without a hold.
    ///
    /// - Parameters:
    ///   - base: The source of the machine's conditions.
    ///   - assumptions: The facts that the user assumes, or `nil`.
    ///   - now: Returns the current time.
    ///   - onShutDown: Called when the machine is about to shut down, before the conditions contain it.
    init(
        base: any ConditionSource, assumptions: Assumptions?, now: @escaping @Sendable () -> ClockReading,
        onShutDown: @escaping @Sendable () -> Void
    ) {
        self.now = now
        adjustment = { hold in
            { conditions in
                if conditions.sleep.value == .aboutToShutDown { onShutDown() }
                if conditions.sleep.value == .aboutToSleep { conditions.sleep.value = .awake }
                if let hold { conditions.hold = hold }
                if let assumptions { conditions = assumptions.applied(to: conditions) }
            }
        }
        source = AdjustedConditions(base, adjustment(nil))
    }

    /// Sets the user's hold, or removes it if `hold` is `nil`.
    ///
    /// - Parameters:
    ///   - hold: The hold.
    ///   - since: The date on which the hold began, or `nil` for now.
    func set(_ hold: MachineHold?, since: WallTime? = nil) {
        let now = now()
        let reading = since.map { ClockReading(instant: now.instant(of: $0), wall: $0) } ?? now
        source.adjust(adjustment(hold.map { Fact($0, source: .user, since: reading) }))
    }
}
