// SPDX-License-Identifier: Apache-2.0
import CProcess
import Foundation
import LinuxKernel
package import TransferEngine
package import TransferModel

/// An executor whose only transfer is a command: the engine decides when the command may run.
///
/// A start of the transfer starts the command, or continues it. A stop freezes or ends the command, as
/// ``LossAction`` says. The result of the command is reported to `onEnd`; the engine learns only that an attempt ended.
package final class CommandExecutor: CommandTarget, @unchecked Sendable {
    // Guard: all variables are used on `queue` only.
    private let queue = DispatchQueue(label: "transferctl.command")
    private let command: [String]
    private let killDelay: Duration
    private let inherited: Set<Int32>
    private let handlers: CommandHandlers
    private var machine: CommandStateMachine
    private var process: Int32?
    private var freezer: (any CommandFreezer)?
    private var report: (@Sendable (ExecutorReport) -> Void)?
    private var delayTimer: DispatchWorkItem?

    /// Returns the open files of this process. Call this method at the start, before the program opens its own files.
    package static func inheritedFiles() -> Set<Int32> {
        CommandProcess.openFiles().filter { fcntl($0, F_GETFD) >= 0 }
    }

    /// Creates an executor that starts nothing yet.
    ///
    /// - Parameters:
    ///   - command: The program, which is sought in `PATH`, and its arguments. Not empty.
    ///   - onLoss: The action on a loss of conditions.
    ///   - killDelay: The time between SIGTERM and SIGKILL.
    ///   - inherited: The open files that the command inherits besides the standard streams.
    ///   - handlers: The functions to call after the command's changes, on a private queue.
    package init(
        _ command: [String], onLoss: LossAction, killDelay: Duration, inheriting inherited: Set<Int32>,
        handlers: CommandHandlers
    ) {
        (self.command, self.killDelay, self.handlers) = (command, killDelay, handlers)
        machine = CommandStateMachine(onLoss: onLoss)
        self.inherited = inherited
        // Orphaned processes of the command belong to the command, too.
        _ = transfer_adopt_orphans()
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
                freezer?.thaw()
                endAttempt()
                continuation.resume()
            }
        }
    }

    // MARK: CommandTarget

    /// Passes a signal on to the command, and continues a frozen command first.
    ///
    /// - Parameter ifIdle: Called if there is no process to receive the signal.
    package func receive(_ signal: ReceivedSignal, ifIdle: @escaping @Sendable () -> Void) {
        queue.async { [self] in
            if signal.number == SIGCONT { return handle(.continued) }
            guard machine.hasProcess else { return ifIdle() }
            handle(.signal(signal.number, reachesCommand: signal.isFromTerminal))
        }
    }

    /// Continues a frozen command for good, because the machine shuts down.
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
        switch effect {
        case .spawn: spawn()
        case .freeze:
            do { try freezer?.freeze() } catch { handlers.warned("cannot freeze the command: \(error)") }
        case .thaw: freezer?.thaw()
        case .signal(let number): if let process { kill(process, number) }
        case .signalAll(let number): for other in descendants() { kill(other.id, number) }
        case .startDelay: startDelay()
        case .reportStopped: endAttempt()
        case .report(let result):
            delayTimer?.cancel()
            endAttempt()
            handlers.ended(result)
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
        let started: CommandProcess
        do { started = try CommandProcess(command, inheriting: inherited) } catch {
            handlers.warned("\(error)")
            return later(.spawnFailed(EAGAIN))
        }
        process = started.id
        if machine.onLoss == .freeze {
            freezer = nil
            let hasScope = TransientScope.move(started.id)
            freezer = (hasScope ? CgroupFreezer(of: started.id) : nil) ?? SignalFreezer()
        }
        let failure = started.begin()
        watch(started.id, failure: failure)
    }

    private func later(_ event: CommandStateMachine.Event) { queue.async { [self] in handle(event) } }

    /// Collects the command and its orphaned processes on a thread of its own.
    private func watch(_ process: Int32, failure: Int32?) {
        let thread = Thread { [self] in
            while true {
                var status: Int32 = 0
                let ended = waitpid(-1, &status, 0)
                if ended < 0, errno == EINTR { continue }
                guard ended > 0 else { return }
                guard ended == process else {
                    queue.async { [self] in freezer?.helperEnded(ended) }
                    continue
                }
                let end = ChildProgram.End(rawStatus: status)
                queue.async { [self] in processEnded(failure.map { .spawnFailed($0) } ?? .exited(end)) }
                return
            }
        }
        thread.name = "transfer.command"
        thread.stackSize = 128 << 10
        thread.start()
    }

    /// Handles the end of the command's first process. If the command is being ended, its other processes must end
    /// first.
    private func processEnded(_ event: CommandStateMachine.Event) {
        process = nil
        guard machine.isEnding, descendants().contains(where: { $0.state != "Z" }) else { return handle(event) }
        queue.asyncAfter(deadline: .now() + .milliseconds(50)) { [self] in processEnded(event) }
    }

    private func descendants() -> [ListedProcess] {
        ProcessTree.descendants(of: getpid(), in: ProcessTree.all(), excluding: freezer?.helpers ?? [])
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

/// An executor whose only transfer is something else that runs: a command, or a unit of systemd.
package protocol CommandTarget: TransferExecutor {
    /// Handles a signal that this program received.
    ///
    /// - Parameter ifIdle: Called if nothing runs that the signal could end.
    func receive(_ signal: ReceivedSignal, ifIdle: @escaping @Sendable () -> Void)

    /// Continues what is frozen, for good, because the machine shuts down.
    func prepareForShutDown()
}
