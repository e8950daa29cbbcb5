// SPDX-License-Identifier: Apache-2.0
import CProcess
import Glibc

/// A small process that continues frozen processes if this program is killed.
///
/// The guardian reads from a pipe. When this program ends, for whatever reason, the kernel closes the pipe, and the
/// guardian continues all processes that it knows. Used on one queue.
final class ThawGuardian {
    /// The process ID of the guardian.
    let process: Int32
    private let orders: Int32

    /// Starts a guardian.
    ///
    /// - Parameter thaw: The open file `cgroup.freeze` that the guardian sets to 0, or -1 for none.
    /// - Throws: `FreezeError` if the system starts no process.
    init(thawing thaw: Int32 = -1) throws(FreezeError) {
        var pipe: [Int32] = [0, 0]
        guard transfer_pipe(&pipe) == 0 else { throw FreezeError.system("cannot create a pipe", errno) }
        process = transfer_start_guardian(pipe[0], thaw)
        let code = errno
        close(pipe[0])
        orders = pipe[1]
        guard process > 0 else {
            close(pipe[1])
            throw FreezeError.system("cannot start the guardian of frozen processes", code)
        }
    }

    deinit { close(orders) }

    /// A Boolean value that indicates whether the guardian still runs.
    var isAlive: Bool {
        guard let listed = ProcessTree.process(process) else { return false }
        return listed.state != "Z"
    }

    /// Makes the guardian remember a process that is about to be stopped.
    func remember(_ stopped: ListedProcess) { send(stopped.id, stopped.start) }

    /// Makes the guardian forget all processes, because they continue.
    func forgetAll() { send(0, 0) }

    private func send(_ process: Int32, _ start: UInt64) {
        var order = transfer_guardian_order(process: process, unused: 0, start: start)
        // A pipe takes an order as a whole. If the guardian has died, the owner finds out before the next freeze.
        _ = withUnsafeBytes(of: &order) { write(orders, $0.baseAddress, $0.count) }
    }
}

/// An error in freezing a command.
package struct FreezeError: Error, Hashable, CustomStringConvertible {
    /// A description for users.
    package let description: String

    static func system(_ what: String, _ code: Int32) -> FreezeError {
        FreezeError(description: "\(what): \(String(cString: strerror(code)))")
    }
}
