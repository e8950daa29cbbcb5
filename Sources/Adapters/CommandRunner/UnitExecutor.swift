// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxKernel
package import TransferEngine
package import TransferModel

/// An executor whose only transfer is a run of a gated unit: the engine decides when systemd may start the unit.
///
/// systemd starts the unit as soon as the gate, another unit on which the unit depends, reports that it is ready. A
/// stop of the transfer freezes or ends the unit, as ``LossAction`` says.
package final class UnitExecutor: CommandTarget, @unchecked Sendable {
    private enum State {
        /// The unit waits for the gate.
        case closed
        case open
        case frozen
        /// systemd ends the unit, and the gate with it.
        case ended
    }

    /// The time after which a unit without processes is frozen again, because its start is not complete.
    private static let retryDelay = DispatchTimeInterval.milliseconds(500)

    // Guard: all variables are used on `queue` only.
    private let queue = DispatchQueue(label: "transferctl.gate")
    private let unit: GatedUnit
    private let gate: GatedUnit
    private let onLoss: LossAction
    private let handlers: CommandHandlers
    private let open: @Sendable () -> Void
    private var state = State.closed
    private var isShuttingDown = false
    private var report: (@Sendable (ExecutorReport) -> Void)?

    /// Creates an executor for a unit that waits.
    ///
    /// - Parameters:
    ///   - unit: The unit.
    ///   - gate: The unit of this program.
    ///   - onLoss: The action on a loss of conditions.
    ///   - handlers: The functions to call after the unit's changes, on a private queue.
    ///   - open: Called once, when systemd may start the unit.
    package init(
        _ unit: GatedUnit, gate: GatedUnit, onLoss: LossAction, handlers: CommandHandlers,
        open: @escaping @Sendable () -> Void
    ) {
        (self.unit, self.gate, self.onLoss, self.handlers, self.open) = (unit, gate, onLoss, handlers, open)
    }

    // MARK: TransferExecutor

    package func start(_ job: TransferJob, reporting report: @escaping @Sendable (ExecutorReport) -> Void) {
        queue.async { [self] in
            self.report = report
            switch state {
            case .closed:
                state = .open
                handlers.changed("running")
                open()
                // Nothing is left to do, so no process has to wait for the end of the unit.
                if onLoss == .wait { end() }
            case .frozen: thaw()
            case .open, .ended: break
            }
        }
    }

    package func stop(_ id: TransferID) { queue.async { [self] in loseConditions() } }

    package func discard(_ job: TransferJob) {}

    package func availableSpace(for specification: TransferSpecification) -> Int64? { nil }

    package func shutdown() async {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                if state == .frozen { thaw() }
                endAttempt()
                continuation.resume()
            }
        }
    }

    // MARK: CommandTarget

    package func receive(_ signal: ReceivedSignal, ifIdle: @escaping @Sendable () -> Void) {
        queue.async { [self] in
            guard [SIGTERM, SIGINT, SIGHUP].contains(signal.number) else { return }
            guard state != .closed else { return ifIdle() }
            if state == .frozen { thaw() }
            end()
        }
    }

    package func prepareForShutDown() {
        queue.async { [self] in
            isShuttingDown = true
            if state == .frozen { thaw() }
        }
    }

    // MARK: Effects

    private func loseConditions() {
        guard state == .open, !isShuttingDown else { return endAttempt() }
        switch onLoss {
        case .wait: return
        case .freeze:
            state = .frozen
            handlers.changed("frozen")
            freeze()
        // systemd then ends this program too, because no unit needs the gate any more.
        case .stop:
            request("stopping") { () throws(FreezeError) in try unit.systemctl(["stop", "--no-block", unit.name]) }
        // systemd restarts the unit with the gate, and so the unit waits again.
        case .restart:
            request("stopping") { () throws(FreezeError) in try gate.systemctl(["restart", "--no-block", gate.name]) }
        }
        endAttempt()
    }

    private func freeze() {
        guard state == .frozen else { return }
        do {
            guard try !unit.setFrozen(true) else { return }
            queue.asyncAfter(deadline: .now() + Self.retryDelay) { [weak self] in self?.freeze() }
        } catch {
            handlers.warned("cannot freeze \(unit.name): \(error)")
            state = .open
        }
    }

    private func thaw() {
        state = .open
        do { _ = try unit.setFrozen(false) } catch { handlers.warned("cannot continue \(unit.name): \(error)") }
        handlers.changed("running")
    }

    private func request(_ word: String, _ body: () throws(FreezeError) -> String) {
        state = .ended
        handlers.changed(word)
        do { _ = try body() } catch {
            handlers.warned("\(error)")
            state = .open
        }
    }

    private func end() {
        state = .ended
        endAttempt()
        handlers.ended(.ended(.status(0)))
    }

    private func endAttempt() {
        report?(.ended(.stopped(nil)))
        report = nil
    }
}
