// SPDX-License-Identifier: Apache-2.0
import LinuxKernel
import Testing

@testable import CommandRunner

/// Tests of the decisions about a command's processes.
@Suite("The states of a command")
struct CommandStateMachineTests {
    private typealias Effect = CommandStateMachine.Effect

    private let terminate = Effect.signalAll(15)
    private let kill = Effect.signalAll(9)

    /// Returns a machine whose command runs.
    private func running(_ onLoss: LossAction) -> CommandStateMachine {
        var machine = CommandStateMachine(onLoss: onLoss)
        #expect(machine.handle(.start) == [.spawn])
        return machine
    }

    @Test("wait lets the command finish, and reports to the scheduler only at the end")
    func wait() {
        var machine = running(.wait)
        #expect(machine.handle(.conditionsLost) == [])
        #expect(machine.displayName == "running")
        #expect(machine.handle(.exited(.status(3))) == [.thaw, .report(.ended(.status(3)))])
        #expect(machine.handle(.start) == [])
    }

    @Test("freeze freezes and continues")
    func freeze() {
        var machine = running(.freeze)
        #expect(machine.handle(.conditionsLost) == [.freeze, .reportStopped])
        #expect(machine.displayName == "frozen")
        #expect(machine.handle(.start) == [.thaw])
        #expect(machine.displayName == "running")
        #expect(machine.handle(.exited(.signal(11))) == [.thaw, .report(.ended(.signal(11)))])
    }

    @Test("stop sends SIGTERM, then SIGKILL, and reports that the conditions were lost, whatever the status is")
    func stop() {
        var machine = running(.stop)
        #expect(machine.handle(.conditionsLost) == [terminate, .startDelay])
        #expect(machine.isEnding)
        #expect(machine.handle(.delayElapsed) == [kill])
        #expect(machine.handle(.exited(.status(0))) == [.thaw, .report(.stopped)])
        #expect(!machine.hasProcess)
    }

    @Test("restart ends the command, and starts it again")
    func restart() {
        var machine = running(.restart)
        #expect(machine.handle(.conditionsLost) == [terminate, .startDelay])
        #expect(machine.handle(.exited(.signal(15))) == [.thaw, .reportStopped])
        #expect(machine.displayName == "waiting")
        #expect(machine.handle(.delayElapsed) == [])
        #expect(machine.handle(.start) == [.spawn])
        #expect(machine.handle(.exited(.status(0))) == [.thaw, .report(.ended(.status(0)))])
    }

    @Test("A frozen command continues before it gets a signal, and is frozen again if it does not end")
    func signalWhileFrozen() {
        var machine = running(.freeze)
        _ = machine.handle(.conditionsLost)
        #expect(machine.handle(.signal(15, reachesCommand: false)) == [.thaw, .signal(15), .startDelay])
        #expect(machine.displayName == "running")
        #expect(machine.handle(.delayElapsed) == [.freeze])
        #expect(machine.displayName == "frozen")
        // The terminal has sent the signal to the command, too.
        #expect(machine.handle(.signal(2, reachesCommand: true)) == [.thaw, .startDelay])
        #expect(machine.handle(.start) == [])
        #expect(machine.handle(.delayElapsed) == [])
    }

    @Test("Signals are passed on once, and not to a command that does not exist")
    func signals() {
        var machine = CommandStateMachine(onLoss: .wait)
        #expect(machine.handle(.signal(15, reachesCommand: false)) == [])
        #expect(!machine.hasProcess)
        machine = running(.wait)
        #expect(machine.handle(.signal(10, reachesCommand: false)) == [.signal(10)])
        #expect(machine.handle(.signal(2, reachesCommand: true)) == [])
    }

    @Test("After a shell has continued the job, a frozen command is frozen again")
    func continued() {
        var machine = running(.freeze)
        #expect(machine.handle(.continued) == [])
        _ = machine.handle(.conditionsLost)
        #expect(machine.handle(.continued) == [.freeze])
    }

    @Test("Before a shutdown, a frozen command continues, and nothing is frozen afterwards")
    func shutDown() {
        var machine = running(.freeze)
        _ = machine.handle(.conditionsLost)
        #expect(machine.handle(.shutDown) == [.thaw])
        #expect(machine.handle(.conditionsLost) == [.reportStopped])
        #expect(machine.displayName == "running")
        machine = running(.freeze)
        #expect(machine.handle(.shutDown) == [])
        #expect(machine.handle(.conditionsLost) == [.reportStopped])
    }

    @Test("A program that cannot be executed is reported with its error")
    func notExecutable() {
        var machine = running(.restart)
        #expect(machine.handle(.spawnFailed(2)) == [.thaw, .report(.notExecutable(2))])
    }
}
