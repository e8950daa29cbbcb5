// SPDX-License-Identifier: Apache-2.0
import CProcess
package import Dispatch
import Foundation
import LinuxKernel

/// A command with its processes.
package final class ProgramTarget: CommandTarget {
    private let command: [String]
    private let isFreezable: Bool
    private let inherited: Set<Int32>
    private var process: Int32?
    private var freezer: (any CommandFreezer)?

    /// Returns the open files of this process. Call this method at the start, before the program opens its own files.
    package static func inheritedFiles() -> Set<Int32> {
        CommandProcess.openFiles().filter { fcntl($0, F_GETFD) >= 0 }
    }

    /// Creates a target that has not started.
    ///
    /// - Parameters:
    ///   - command: The program, which is sought in `PATH`, and its arguments. Not empty.
    ///   - isFreezable: Whether the command may be frozen.
    ///   - inherited: The open files that the command inherits besides the standard streams.
    package init(_ command: [String], isFreezable: Bool, inheriting inherited: Set<Int32>) {
        (self.command, self.isFreezable, self.inherited) = (command, isFreezable, inherited)
        // Orphaned processes of the command belong to the command, too.
        _ = transfer_adopt_orphans()
    }

    package func start(
        on queue: DispatchQueue, ended: @escaping @Sendable (CommandStateMachine.Event) -> Void
    ) throws(FreezeError) {
        let started = try CommandProcess(command, inheriting: inherited)
        process = started.id
        if isFreezable {
            freezer = nil
            let hasScope = TransientScope.move(started.id)
            freezer = (hasScope ? CgroupFreezer(of: started.id) : nil) ?? SignalFreezer()
        }
        let failure = started.begin()
        watch(started.id, on: queue) { ended(failure.map { .spawnFailed($0) } ?? .exited($0)) }
    }

    /// Collects the command and its orphaned processes on a thread of its own.
    private func watch(
        _ process: Int32, on queue: DispatchQueue, _ ended: @escaping @Sendable (ChildProgram.End) -> Void
    ) {
        nonisolated(unsafe) let target = self  // used on `queue` only
        let thread = Thread {
            while true {
                var status: Int32 = 0
                let child = waitpid(-1, &status, 0)
                if child < 0, errno == EINTR { continue }
                guard child > 0 else { return }
                guard child == process else {
                    queue.async { target.freezer?.helperEnded(child) }
                    continue
                }
                let end = ChildProgram.End(rawStatus: status)
                return queue.async {
                    target.process = nil
                    ended(end)
                }
            }
        }
        thread.name = "transfer.command"
        thread.stackSize = 128 << 10
        thread.start()
    }

    package var hasProcesses: Bool { descendants.contains { $0.state != "Z" } }

    package func freeze() throws(FreezeError) {
        do { try freezer?.freeze() } catch {
            throw FreezeError(description: "cannot freeze the command: \(error)")
        }
    }

    package func thaw() { freezer?.thaw() }

    package func signal(_ number: Int32) { if let process { kill(process, number) } }

    package func signalAll(_ number: Int32) { for other in descendants { kill(other.id, number) } }

    package func event(for signal: ReceivedSignal) -> CommandStateMachine.Event? {
        signal.number == SIGCONT ? .continued : .signal(signal.number, reachesCommand: signal.isFromTerminal)
    }

    private var descendants: [ListedProcess] {
        ProcessTree.descendants(of: getpid(), in: ProcessTree.all(), excluding: freezer?.helpers ?? [])
    }
}
