// SPDX-License-Identifier: Apache-2.0
import LinuxConditions
import Synchronization
import TransferModel

/// Keeps the machine awake while transfers run on AC power, if `stay-awake` is set.
final class SleepPrevention: Sendable {
    /// Prevents sleep, or allows it again if the argument is `nil`. The argument receives whether sleep is prevented.
    typealias Order = @Sendable ((@Sendable (Bool) -> Void)?) -> Void

    private struct State {
        var isEnabled = false
        var isOnAC = false
        var running: Set<TransferID> = []
        /// Whether the login manager prevents sleep; `nil` before its reply.
        var isPrevented: Bool?
        var since = WallTime(nanosecondsSinceEpoch: 0)

        /// Whether sleep is to be prevented.
        var isWanted: Bool { isEnabled && isOnAC && !running.isEmpty }

        /// The description of the state for users.
        var text: String {
            if isWanted { return isPrevented == false ? "not granted by logind" : "while transfers run" }
            return isOnAC ? "no transfer runs" : "not on AC power"
        }
    }

    private let order: Order
    private let state = Mutex(State())

    /// Creates a prevention that is not enabled.
    init(_ order: @escaping Order) { self.order = order }

    /// Enables or disables the prevention.
    func enable(_ isEnabled: Bool, at now: WallTime) { update(at: now) { $0.isEnabled = isEnabled } }

    /// Follows a change of a transfer.
    func follow(_ status: TransferStatus, at now: WallTime) {
        update(at: now) { state in
            if status.state == .running { state.running.insert(status.id) } else { state.running.remove(status.id) }
        }
    }

    /// Follows a change of the machine's power source.
    func follow(_ power: PowerSource, at now: WallTime) { update(at: now) { $0.isOnAC = power == .ac } }

    /// The state for users, or `nil` if the prevention is not enabled.
    var report: FactReport? {
        state.withLock { state in
            guard state.isEnabled else { return nil }
            let at = ClockReading(instant: .zero, wall: state.since)
            return FactReport(Fact(true, source: .logind, since: at), state.text)
        }
    }

    private func update(at now: WallTime, _ change: (inout State) -> Void) {
        state.withLock { state in
            let before = state
            change(&state)
            if state.isWanted != before.isWanted {
                state.isPrevented = nil
                let report: @Sendable (Bool) -> Void = { [weak self] in self?.received($0) }
                order(state.isWanted ? report : nil)
            }
            if state.text != before.text { state.since = now }
        }
    }

    private func received(_ isPrevented: Bool) { state.withLock { $0.isPrevented = isPrevented } }
}
