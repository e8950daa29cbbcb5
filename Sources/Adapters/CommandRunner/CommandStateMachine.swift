// SPDX-License-Identifier: Apache-2.0
package import LinuxKernel

/// The action when a running command loses the conditions that it needs.
package enum LossAction: String, Hashable, Sendable, CaseIterable {
    /// Lets the command finish.
    case wait
    /// Freezes the command until the conditions return.
    case freeze
    /// Ends the command for good.
    case stop
    /// Ends the command, and starts it again when the conditions return.
    case restart
}

/// The result of a command that does not run any more.
package enum CommandResult: Hashable, Sendable {
    /// The command ended by itself, or by a signal.
    case ended(ChildProgram.End)
    /// The command lost its conditions and was ended, under ``LossAction/stop``.
    case stopped
    /// The program cannot be executed. The number is the system's error number.
    case notExecutable(Int32)
}

/// The states of a command: the decisions when to start, freeze, continue, and end it.
///
/// The scheduler decides when the conditions allow the command to run. This value decides what that means for the
/// command's processes. It performs nothing; its owner performs the returned effects in order.
///
/// ```swift
/// var machine = CommandStateMachine(onLoss: .freeze)
/// machine.handle(.start)       // [.spawn]
/// machine.handle(.conditionsLost)  // [.freeze, .reportStopped]
/// machine.handle(.start)       // [.thaw]
/// ```
package struct CommandStateMachine: Sendable {
    /// The reason for which a command is being ended.
    enum Purpose: Hashable, Sendable {
        case stop
        case restart
    }

    private enum State: Hashable, Sendable {
        /// No process exists.
        case idle
        case running
        case frozen
        /// The command lost its conditions and would be frozen, but gets time to handle a signal.
        case reprieved
        case ending(Purpose)
        case ended
    }

    /// An input of the machine.
    package enum Event: Hashable, Sendable {
        /// The conditions allow the command to run.
        case start
        /// A running command has lost its conditions.
        case conditionsLost
        /// The delay that ``Effect/startDelay`` requested has passed.
        case delayElapsed
        /// This program received a signal. The command has received it too if the signal came from the terminal.
        case signal(Int32, reachesCommand: Bool)
        /// This program continues after a stop (SIGCONT). The shell has continued the command too.
        case continued
        /// The machine shuts down.
        case shutDown
        /// The process has ended.
        case exited(ChildProgram.End)
        /// The program could not be executed.
        case spawnFailed(Int32)
    }

    /// An action of the owner.
    package enum Effect: Hashable, Sendable {
        case spawn
        case freeze
        case thaw
        /// Sends a signal to the command's first process.
        case signal(Int32)
        /// Sends a signal to all processes of the command.
        case signalAll(Int32)
        /// Schedules ``Event/delayElapsed`` after the time that a command gets to end. A second request starts the delay again.
        case startDelay
        /// Reports to the engine that the attempt has stopped.
        case reportStopped
        /// Reports the result. The last effect.
        case report(CommandResult)
    }

    /// The action on a loss of conditions.
    package let onLoss: LossAction
    private var state = State.idle
    /// A Boolean value that indicates whether the machine shuts down, after which nothing is frozen.
    private var isShuttingDown = false

    /// Creates the states of a command that has not started.
    package init(onLoss: LossAction) { self.onLoss = onLoss }

    /// The state as a word for users.
    package var displayName: String {
        switch state {
        case .idle: "waiting"
        case .running, .reprieved: "running"
        case .frozen: "frozen"
        case .ending: "stopping"
        case .ended: "ended"
        }
    }

    /// A Boolean value that indicates whether a process of the command exists.
    package var hasProcess: Bool {
        switch state {
        case .idle, .ended: false
        case .running, .frozen, .reprieved, .ending: true
        }
    }

    /// A Boolean value that indicates whether the command is being ended.
    package var isEnding: Bool { if case .ending = state { true } else { false } }

    /// Handles an event, and returns the effects in order.
    package mutating func handle(_ event: Event) -> [Effect] {
        switch event {
        case .start: return start()
        case .conditionsLost: return loseConditions()
        case .delayElapsed: return endDelay()
        case .signal(let number, let reachesCommand): return forward(number, reachesCommand: reachesCommand)
        case .continued: return state == .frozen ? [.freeze] : []
        case .shutDown:
            isShuttingDown = true
            guard state == .frozen else { return [] }
            state = .running
            return [.thaw]
        case .exited(let end): return finish(.ended(end))
        case .spawnFailed(let code): return finish(.notExecutable(code))
        }
    }

    private mutating func start() -> [Effect] {
        switch state {
        case .idle:
            state = .running
            return [.spawn]
        case .frozen:
            state = .running
            return [.thaw]
        case .reprieved:
            state = .running
            return []
        // The scheduler starts nothing that it believes to run, and an ended command never runs again.
        case .running, .ending, .ended: return []
        }
    }

    private mutating func loseConditions() -> [Effect] {
        guard state == .running else { return state == .ended ? [] : [.reportStopped] }
        switch onLoss {
        // The scheduler waits for the report, which comes with the command's end.
        case .wait: return []
        case .freeze:
            // A frozen process could not end in an orderly way.
            guard !isShuttingDown else { return [.reportStopped] }
            state = .frozen
            return [.freeze, .reportStopped]
        case .stop, .restart:
            state = .ending(onLoss == .stop ? .stop : .restart)
            return [.signalAll(.terminate), .startDelay]
        }
    }

    private mutating func endDelay() -> [Effect] {
        switch state {
        case .ending: return [.signalAll(.kill)]
        case .reprieved where !isShuttingDown:
            state = .frozen
            return [.freeze]
        // The delay belongs to an earlier state.
        case .idle, .running, .frozen, .reprieved, .ended: return []
        }
    }

    private mutating func forward(_ number: Int32, reachesCommand: Bool) -> [Effect] {
        let sent: [Effect] = reachesCommand ? [] : [.signal(number)]
        switch state {
        case .frozen:
            // A frozen process does not handle signals. It gets time to end in an orderly way.
            state = .reprieved
            return [.thaw] + sent + [.startDelay]
        case .running, .reprieved, .ending: return sent
        case .idle, .ended: return []
        }
    }

    private mutating func finish(_ result: CommandResult) -> [Effect] {
        switch state {
        case .ending(.restart):
            state = .idle
            return [.thaw, .reportStopped]
        case .ending(.stop):
            state = .ended
            return [.thaw, .report(.stopped)]
        case .running, .frozen, .reprieved, .idle:
            state = .ended
            return [.thaw, .report(result)]
        case .ended: return []
        }
    }
}

extension Int32 {
    /// SIGTERM, which asks a process to end.
    fileprivate static var terminate: Int32 { 15 }
    /// SIGKILL, which ends a process.
    fileprivate static var kill: Int32 { 9 }
}
