// SPDX-License-Identifier: Apache-2.0
import CProcess
import Foundation

/// A signal that this program received.
package struct ReceivedSignal: Hashable, Sendable {
    /// The signal's number.
    package var number: Int32
    /// A Boolean value that indicates whether the signal came from the terminal. The command, which is in the same
    /// process group, has received it too.
    package var isFromTerminal: Bool
}

/// The signals that this program receives on behalf of a command.
///
/// Signals that were ignored when the program started stay ignored, here and in the command. SIGTSTP and the other
/// signals of job control keep their default action: the shell stops and continues this program and the command as one
/// job.
package enum SignalWatch {
    /// The signals that are passed on to a command.
    static let passedOn = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2]

    /// Calls `handler` on a thread of its own for each signal. Call this method once.
    ///
    /// - Throws: `FreezeError` if the system has no resources for the watch.
    package static func start(_ handler: @escaping @Sendable (ReceivedSignal) -> Void) throws {
        var pipe: [Int32] = [0, 0]
        guard transfer_pipe(&pipe) == 0 else { throw FreezeError.system("cannot create a pipe", errno) }
        _ = fcntl(pipe[1], F_SETFL, O_NONBLOCK)
        let numbers = passedOn + [SIGCONT]
        guard transfer_watch_signals(pipe[1], numbers, Int32(numbers.count)) == 0 else {
            throw FreezeError.system("cannot watch signals", errno)
        }
        let reading = pipe[0]
        let thread = Thread {
            // Dispatch's threads block signals, so one thread must not.
            var none = sigset_t()
            sigemptyset(&none)
            pthread_sigmask(SIG_SETMASK, &none, nil)
            var received = transfer_signal()
            while true {
                let count = withUnsafeMutableBytes(of: &received) { read(reading, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count == MemoryLayout<transfer_signal>.size else { return }
                handler(ReceivedSignal(number: received.number, isFromTerminal: received.is_from_kernel == 1))
            }
        }
        thread.name = "transfer.signals"
        thread.stackSize = 128 << 10
        thread.start()
    }
}
