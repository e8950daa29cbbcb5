// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A freezer that stops each process of a command with SIGSTOP.
///
/// The command shares this program's process group, so that its terminal and its shell see one job. Signals to the
/// group would also stop this program and the other programs of a pipeline. The freezer therefore stops the
/// descendants of this program one by one.
final class SignalFreezer: CommandFreezer {
    private var guardian: ThawGuardian?
    /// The stopped processes, in the order of their stops.
    private var stopped: [ListedProcess] = []
    /// The number of rounds in which new processes are sought. A process that forks faster is a fork bomb.
    private static let mostRounds = 100
    private static let mostProcesses = 4096

    var helpers: Set<Int32> { guardian.map { [$0.process] } ?? [] }

    func helperEnded(_ process: Int32) {
        guard process == guardian?.process else { return }
        guardian = nil
        guard !stopped.isEmpty, (try? livingGuardian()) == nil else { return }
        // Without a guardian, nothing would continue the command if this program were killed.
        thaw()
    }

    func freeze() throws(FreezeError) {
        let guardian = try livingGuardian()
        var refusals: [String] = []
        for _ in 0..<Self.mostRounds {
            let running = descendants(excluding: guardian).filter { process in
                // A process that something else has stopped must not continue with the others.
                !"TtZX".contains(process.state) && !refusals.contains("\(process.id)")
            }
            if running.isEmpty { break }
            for process in running {
                guard stopped.count < Self.mostProcesses else {
                    thaw()
                    throw FreezeError(
                        description: "the command has more than \(Self.mostProcesses) processes; it continues to run")
                }
                let isNew = !stopped.contains { ($0.id, $0.start) == (process.id, process.start) }
                if isNew { guardian.remember(process) }
                if kill(process.id, SIGSTOP) == 0 {
                    if isNew { stopped.append(process) }
                } else if errno == EPERM {
                    refusals.append("\(process.id)")
                }
            }
            // A signal stops a process a moment later, and the process may have forked before.
            usleep(1_000)
        }
        guard refusals.isEmpty else {
            throw FreezeError(
                description:
                    "not permitted to freeze process \(refusals.joined(separator: ", ")), which another user owns")
        }
    }

    func thaw() {
        for process in stopped.reversed() where ProcessTree.process(process.id)?.start == process.start {
            kill(process.id, SIGCONT)
        }
        stopped = []
        guardian?.forgetAll()
    }

    /// Returns the guardian. Starts another guardian if the last one was killed.
    private func livingGuardian() throws(FreezeError) -> ThawGuardian {
        if let guardian, guardian.isAlive { return guardian }
        let new = try ThawGuardian()
        for process in stopped { new.remember(process) }
        guardian = new
        return new
    }

    private func descendants(excluding guardian: ThawGuardian) -> [ListedProcess] {
        ProcessTree.descendants(of: getpid(), in: ProcessTree.all(), excluding: [guardian.process])
    }
}
