// SPDX-License-Identifier: Apache-2.0
package import Dispatch
import Foundation
package import TransferEngine
package import TransferModel

/// An executor whose only transfer is something else that runs: a command, or a run of a unit of systemd.
///
/// The engine decides when the target may run. A start of the transfer starts the target, or continues it. A stop freezes
/// or ends the target, as ``LossAction`` says. The result is reported to the handlers; the engine learns only that an
/// attempt ended.
package final class CommandExecutor: TransferExecutor, @unchecked Sendable {
    // Guard: all variables, and the target, are used on `queue` only.
    private let queue = DispatchQueue(label: "transferctl.command")
    private let target: any CommandTarget
    private let killDelay: Duration
    private let handlers: CommandHandlers
    private var machine: CommandStateMachine
    private var report: (@Sendable (ExecutorReport) -> Void)?
    private var delayTimer: DispatchWorkItem?

    /// Creates an executor that starts nothing yet.
    ///
    /// - Parameters:
    ///   - target: The target, which is not used elsewhere.
    ///   - onLoss: The action on a loss of conditions.
    ///   - killDelay: The time between SIGTERM and SIGKILL.
    ///   - handlers: The functions to call after changes, on a private queue.
    package init(_ target: any CommandTarget, onLoss: LossAction, killDelay: Duration, handlers: CommandHandlers) {
        (self.target, self.killDelay, self.handlers) = (target, killDelay, handlers)
        machine = CommandStateMachine(onLoss: onLoss)
    }

    // MARK: TransferExecutor

    package func start(_ job: TransferJob, reporting report: @escaping @Sendable (ExecutorReport) -> Void) {
        queue.async { [self] in
            self.report = report
            handle(.start)
        }
    }

    package func stop(_ id: TransferID) { queue.async { [self] in handle(.conditionsLost) } }

    package func discard(_ job: TransferJob) {}

    package func availableSpace(for specification: TransferSpecification) -> Int64? { nil }

    package func shutdown() async {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                perform(.thaw)
                endAttempt()
                continuation.resume()
            }
        }
    }

    // MARK: Signals

    /// Handles a signal that this program received.
    ///
    /// - Parameter ifIdle: Called if nothing runs that the signal could end.
    package func receive(_ signal: ReceivedSignal, ifIdle: @escaping @Sendable () -> Void) {
        queue.async { [self] in
            guard let event = target.event(for: signal) else { return }
            guard machine.hasProcess || event == .continued else { return ifIdle() }
            // systemd ends the unit, and this program with it. A restart would only delay the end.
            if case .exited(let end) = event, machine.isEnding { return perform(.report(.ended(end))) }
            handle(event)
        }
    }

    /// Continues what is frozen, for good, because the machine shuts down.
    package func prepareForShutDown() { queue.async { [self] in handle(.shutDown) } }

    private func handle(_ event: CommandStateMachine.Event) {
        let before = machine.displayName
        let effects = machine.handle(event)
        // Reported first, because the engine reports the reasons of a stop as soon as the stop is performed.
        if machine.displayName != before { handlers.changed(machine.displayName) }
        for effect in effects { perform(effect) }
    }

    // MARK: Effects

    private func perform(_ effect: CommandStateMachine.Effect) {
        do throws(FreezeError) {
            switch effect {
            case .spawn: spawn()
            case .freeze: try target.freeze()
            case .thaw: try target.thaw()
            case .signal(let number): target.signal(number)
            case .signalAll(let number): try target.signalAll(number)
            case .startDelay: startDelay()
            case .reportStopped: endAttempt()
            case .report(let result):
                delayTimer?.cancel()
                endAttempt()
                handlers.ended(result)
            }
        } catch {
            handlers.warned("\(error)")
        }
    }

    private func endAttempt() {
        report?(.ended(.stopped(nil)))
        report = nil
    }

    private func startDelay() {
        delayTimer?.cancel()
        let timer = DispatchWorkItem { [weak self] in self?.handle(.delayElapsed) }
        delayTimer = timer
        let (seconds, attoseconds) = killDelay.components
        queue.asyncAfter(
            deadline: .now() + .seconds(Int(seconds)) + .milliseconds(Int(attoseconds / 1_000_000_000_000_000)),
            execute: timer)
    }

    private func spawn() {
        delayTimer?.cancel()
        do {
            try target.start(on: queue) { [self] event in targetEnded(event) }
        } catch {
            handlers.warned("\(error)")
            queue.async { [self] in handle(.spawnFailed(EAGAIN)) }
        }
    }

    /// Handles the end of the target's first process. If the target is being ended, its other processes must end first.
    private func targetEnded(_ event: CommandStateMachine.Event) {
        guard machine.isEnding, target.hasProcesses else { return handle(event) }
        queue.asyncAfter(deadline: .now() + .milliseconds(50)) { [self] in targetEnded(event) }
    }
}

/// Functions that are called after the changes of a command.
package struct CommandHandlers: Sendable {
    /// Called with the new state as a word: waiting, running, frozen, stopping, ended.
    package var changed: @Sendable (String) -> Void
    /// Called with a description of something that did not work.
    package var warned: @Sendable (String) -> Void
    /// Called once, with the result.
    package var ended: @Sendable (CommandResult) -> Void

    /// Creates handlers.
    package init(
        changed: @escaping @Sendable (String) -> Void, warned: @escaping @Sendable (String) -> Void,
        ended: @escaping @Sendable (CommandResult) -> Void
    ) {
        (self.changed, self.warned, self.ended) = (changed, warned, ended)
    }
}

/// Something that an executor starts, freezes, and ends. Used on the executor's queue.
package protocol CommandTarget: AnyObject {
    /// Starts the target.
    ///
    /// - Parameters:
    ///   - queue: The executor's queue.
    ///   - ended: Called on the queue at the end of the target.
    /// - Throws: `FreezeError` if nothing was started.
    func start(
        on queue: DispatchQueue, ended: @escaping @Sendable (CommandStateMachine.Event) -> Void
    ) throws(FreezeError)

    /// A Boolean value that indicates whether processes of the target run.
    var hasProcesses: Bool { get }

    /// Freezes all processes. Safe to repeat.
    func freeze() throws(FreezeError)

    /// Continues all processes that were frozen. Safe to repeat.
    func thaw() throws(FreezeError)

    /// Sends a signal to the first process.
    func signal(_ number: Int32)

    /// Sends SIGTERM or SIGKILL to all processes.
    func signalAll(_ number: Int32) throws(FreezeError)

    /// Returns the meaning of a signal that this program received, or `nil` if it has none.
    func event(for signal: ReceivedSignal) -> CommandStateMachine.Event?
}
