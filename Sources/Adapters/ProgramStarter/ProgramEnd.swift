// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxKernel
import Synchronization

/// Waits for the end of a program and collects the process.
final class ProgramEnd: Sendable {
    typealias Status = ChildProgram.End

    private enum State {
        case running
        case awaited(CheckedContinuation<Status?, Never>)
        /// The program has ended, or the wait was stopped.
        case ended(Status?)
    }

    private let state = Mutex(State.running)

    /// - Parameter forget: Called before the process identifier may be reused.
    init(of process: Int32, forget: @escaping @Sendable (Int32) -> Void) {
        // The process identifier stays in use until the process is collected. A sleeping thread costs nearly nothing.
        let thread = Thread { [self] in
            ChildProgram.awaitEnd(of: process)
            forget(process)
            // If other code collected the process, its end is unknown and counts as success.
            let status = ChildProgram.collect(process) ?? .status(0)
            finish(status)
        }
        thread.name = "transfer.app"
        thread.stackSize = 128 << 10
        thread.start()
    }

    /// Waits and returns the program's status; `nil` if the program is still running when the wait is stopped.
    func status() async -> Status? {
        await withCheckedContinuation { continuation in
            let status = state.withLock { state -> Status?? in
                guard case .ended(let status) = state else {
                    state = .awaited(continuation)
                    return nil
                }
                return .some(status)
            }
            if let status { continuation.resume(returning: status) }
        }
    }

    /// Makes `status()` return.
    func stopWaiting() { finish(nil) }

    private func finish(_ status: Status?) {
        let continuation = state.withLock { state -> CheckedContinuation<Status?, Never>? in
            switch state {
            case .running: state = .ended(status)
            case .awaited(let continuation):
                state = .ended(status)
                return continuation
            case .ended: break  // only the first end counts
            }
            return nil
        }
        continuation?.resume(returning: status)
    }
}
