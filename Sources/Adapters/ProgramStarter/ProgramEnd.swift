// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxKernel
import Synchronization

/// Waits for a program's end, and sees it off.
final class ProgramEnd: Sendable {
    typealias Status = ChildProgram.End

    private enum State {
        case running
        case awaited(CheckedContinuation<Status?, Never>)
        /// Ended, or nobody waits any longer.
        case over(Status?)
    }

    private let state = Mutex(State.running)

    /// - Parameter forget: told of the process before its number may be another's.
    init(of process: Int32, forget: @escaping @Sendable (Int32) -> Void) {
        // The number stays taken until it is waited for; a thread that sleeps until then costs nearly nothing.
        let thread = Thread { [self] in
            ChildProgram.awaitEnd(of: process)
            forget(process)
            // Where somebody else took it, nobody knows how it ended.
            let status = ChildProgram.collect(process) ?? .status(0)
            finish(status)
        }
        thread.name = "transfer.app"
        thread.stackSize = 128 << 10
        thread.start()
    }

    /// Its status; nil where it still runs when nobody is to wait any longer.
    func status() async -> Status? {
        await withCheckedContinuation { continuation in
            let status = state.withLock { state -> Status?? in
                guard case .over(let status) = state else {
                    state = .awaited(continuation)
                    return nil
                }
                return .some(status)
            }
            if let status { continuation.resume(returning: status) }
        }
    }

    /// Has `status()` return.
    func stopWaiting() { finish(nil) }

    private func finish(_ status: Status?) {
        let continuation = state.withLock { state -> CheckedContinuation<Status?, Never>? in
            switch state {
            case .running: state = .over(status)
            case .awaited(let continuation):
                state = .over(status)
                return continuation
            case .over: break  // Only the first counts.
            }
            return nil
        }
        continuation?.resume(returning: status)
    }
}
