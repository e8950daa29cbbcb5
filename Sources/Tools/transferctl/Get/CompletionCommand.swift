// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import LinuxKernel
import Synchronization
import ToolSupport
import TransferModel

/// The command of `--on-complete`. The shell runs the command after each transfer, in its own process group.
final class CompletionCommand: Sendable {
    private struct State {
        var running: pid_t?
        var isEnding = false
    }

    private let command: String
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "transferctl.on-complete")
    /// The time that the command may continue after an interruption, and again after SIGTERM.
    private let killDelay: DispatchTimeInterval

    init(command: String, killDelay: DispatchTimeInterval = .seconds(2)) {
        self.command = command
        self.killDelay = killDelay
    }

    /// Runs the command and waits for its end.
    ///
    /// - Returns: `true` if the command ended with status 0. `false` also if `end()` prevented the start.
    func run(_ status: TransferStatus) async -> Bool {
        var environment = ProcessInfo.processInfo.environment
        environment["TRANSFER_ID"] = status.id.description
        environment["TRANSFER_URL"] = status.url
        environment["TRANSFER_RESULT"] = status.state == .finished ? "finished" : "failed"
        if let responseStatus = status.status {
            environment["TRANSFER_STATUS"] = String(responseStatus)
            environment["TRANSFER_PATH"] = status.path ?? ""
        }
        let started = state.withLock { state -> pid_t? in
            guard !state.isEnding else { return nil }
            var shell = ChildProgram("/bin/sh", ["sh", "-c", command], environment: environment)
            shell.group = .own
            state.running = try? shell.start()
            return state.running
        }
        guard let started else { return false }
        return await withCheckedContinuation { continuation in
            queue.async { [self] in
                // Waits without collecting the process. Until it is collected, its ID and its group's ID are not
                // reused.
                ChildProgram.awaitEnd(of: started)
                state.withLock { $0.running = nil }
                continuation.resume(returning: ChildProgram.collect(started) == .status(0))
            }
        }
    }

    /// Ends a command that still runs after a delay, and starts no further command. The whole process group
    /// receives SIGTERM, and later SIGKILL.
    func end() {
        let timer = DispatchQueue(label: "transferctl.on-complete.end")
        timer.asyncAfter(deadline: .now() + killDelay) { [self] in
            signalGroup(SIGTERM)
            timer.asyncAfter(deadline: .now() + killDelay) { [self] in signalGroup(SIGKILL) }
        }
    }

    private func signalGroup(_ number: Int32) {
        state.withLock { state in
            state.isEnding = true
            if let running = state.running { kill(-running, number) }
        }
    }
}
