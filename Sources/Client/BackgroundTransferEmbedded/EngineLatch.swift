// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
internal import Synchronization

/// A gate for callers that wait until the engine runs.
final class EngineLatch: Sendable {
    private let decided = DispatchGroup()
    /// Whether the engine runs. `nil` before its start.
    private let outcome = Mutex<Bool?>(nil)

    init() { decided.enter() }

    /// Opens the gate, because the engine runs.
    func open() { decide(true) }

    /// Lets all callers through with an error, because the engine cannot start. Has no effect after the start.
    func fail() { decide(false) }

    private func decide(_ isRunning: Bool) {
        let isFirst = outcome.withLock { outcome in
            guard outcome == nil else { return false }
            outcome = isRunning
            return true
        }
        if isFirst { decided.leave() }
    }

    /// Blocks until the engine runs. Returns false if the engine cannot start or the time runs out first.
    func wait(_ time: DispatchTimeInterval) -> Bool {
        decided.wait(timeout: .now() + time) == .success && outcome.withLock { $0 == true }
    }

    /// Suspends until the engine runs. Returns false if the engine cannot start.
    func opened() async -> Bool {
        await withCheckedContinuation { continuation in
            decided.notify(queue: .global()) { continuation.resume() }
        }
        return outcome.withLock { $0 == true }
    }
}
