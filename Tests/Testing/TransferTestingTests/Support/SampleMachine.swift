// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TransferModel
import TransferPolicy

/// A machine that switches between AC power and battery. Its clocks advance by a second at each switch.
final class SampleMachine: Sendable {
    private let state: Mutex<Conditions>
    private let clock = Mutex(
        ClockReading(instant: Instant(nanoseconds: 1_000_000_000), wall: WallTime(secondsSinceEpoch: 1_795_228_604)))

    init() { state = Mutex(Conditions(unknownSince: clock.withLock { $0 })) }

    var now: ClockReading { clock.withLock { $0 } }
    var conditions: Conditions { state.withLock { $0 } }

    /// Switches the power source, and returns the new conditions.
    func change() -> Conditions {
        let now = clock.withLock { clock in
            clock = clock.advanced(by: .seconds(1))
            return clock
        }
        return state.withLock { conditions in
            let next: PowerSource = conditions.power.value == .ac ? .battery : .ac
            conditions.power = conditions.power.updated(to: next, source: .upower, confidence: .reported, at: now)
            return conditions
        }
    }
}
