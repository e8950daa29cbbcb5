// SPDX-License-Identifier: Apache-2.0
package import Dispatch
import Foundation
import LinuxKernel

/// A run of a gated unit.
///
/// systemd starts the unit as soon as the gate, another unit on which the unit depends, reports that it is ready.
package final class UnitTarget: CommandTarget {
    /// The time after which a unit without processes is frozen again, because its start is not complete.
    private static let retryDelay = DispatchTimeInterval.milliseconds(500)

    private let unit: GatedUnit
    private let gate: GatedUnit
    private let onLoss: LossAction
    private let open: () -> Void
    private var queue: DispatchQueue?
    private var isFrozen = false

    /// Creates a target for a unit that waits.
    ///
    /// - Parameters:
    ///   - unit: The unit.
    ///   - gate: The unit of this program.
    ///   - onLoss: The action on a loss of conditions.
    ///   - open: Called once, when systemd may start the unit.
    package init(_ unit: GatedUnit, gate: GatedUnit, onLoss: LossAction, open: @escaping () -> Void) {
        (self.unit, self.gate, self.onLoss, self.open) = (unit, gate, onLoss, open)
    }

    package func start(on queue: DispatchQueue, ended: @escaping @Sendable (CommandStateMachine.Event) -> Void) {
        self.queue = queue
        open()
        // Nothing is left to do, so no process has to wait for the end of the unit.
        if onLoss == .wait { queue.async { ended(.exited(.status(0))) } }
    }

    package let hasProcesses = false

    package func freeze() throws(FreezeError) {
        isFrozen = true
        guard try !unit.setFrozen(true) else { return }
        nonisolated(unsafe) let target = self  // used on `queue` only
        queue?.asyncAfter(deadline: .now() + Self.retryDelay) {
            if target.isFrozen { try? target.freeze() }
        }
    }

    package func thaw() throws(FreezeError) {
        guard isFrozen else { return }
        isFrozen = false
        _ = try unit.setFrozen(false)
    }

    package func signal(_ number: Int32) {}

    package func signalAll(_ number: Int32) throws(FreezeError) {
        // systemd itself kills what does not end.
        guard number == SIGTERM else { return }
        // systemd then ends this program too: no unit needs the gate any more, or the unit waits again for the new gate.
        let isRestart = onLoss == .restart
        try unit.systemctl([isRestart ? "restart" : "stop", "--no-block", isRestart ? gate.name : unit.name])
    }

    package func event(for signal: ReceivedSignal) -> CommandStateMachine.Event? {
        [SIGTERM, SIGINT, SIGHUP].contains(signal.number) ? .exited(.status(0)) : nil
    }
}
