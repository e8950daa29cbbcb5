// SPDX-License-Identifier: Apache-2.0
internal import SessionLogic

/// The timers that run for sessions, at most one of each name.
///
/// Belongs to one actor, on which the timers ring.
final class SessionTimers {
    /// A timer that runs. A later timer of the same name has another number.
    private struct Running {
        var number: Int
        var waiting: Task<Void, Never>
    }

    private let sleep: @Sendable (Duration) async throws -> Void
    private var running: [SessionTimer: Running] = [:]

    /// - Parameter sleep: waits for a duration, time asleep included.
    init(sleep: @escaping @Sendable (Duration) async throws -> Void) { self.sleep = sleep }

    /// Starts a timer, in place of a running timer of the same name.
    func set(
        _ timer: SessionTimer, after duration: Duration, isolation: isolated any Actor = #isolation,
        ring: @escaping () async -> Void
    ) {
        let number = (running[timer]?.number ?? 0) + 1
        running[timer]?.waiting.cancel()
        let waiting = Task {
            // Runs on the actor, because it captures it.
            _ = isolation
            do { try await sleep(duration) } catch { return }
            guard !Task.isCancelled, running[timer]?.number == number else { return }
            running[timer] = nil
            await ring()
        }
        running[timer] = Running(number: number, waiting: waiting)
    }

    /// Ends a timer, which rings no more.
    func cancel(_ timer: SessionTimer) { running.removeValue(forKey: timer)?.waiting.cancel() }
}
