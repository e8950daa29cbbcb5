// SPDX-License-Identifier: Apache-2.0
internal import SessionLogic

/// The running timers of sessions, at most one for each name.
///
/// Belongs to one actor, on which the timers fire.
final class SessionTimers {
    /// A running timer. A later timer with an equal name has another number.
    private struct Running {
        var number: Int
        var waiting: Task<Void, Never>
    }

    private let sleep: @Sendable (Duration) async throws -> Void
    private var running: [SessionTimer: Running] = [:]

    /// - Parameter sleep: A function that waits for a duration, including time asleep.
    init(sleep: @escaping @Sendable (Duration) async throws -> Void) { self.sleep = sleep }

    /// Starts a timer and replaces a running timer of that name.
    func set(
        _ timer: SessionTimer, after duration: Duration, isolation: isolated any Actor = #isolation,
        fire: @escaping () async -> Void
    ) {
        let number = (running[timer]?.number ?? 0) + 1
        running[timer]?.waiting.cancel()
        let waiting = Task {
            // Capturing `isolation` makes the task run on the actor.
            _ = isolation
            do { try await sleep(duration) } catch { return }
            guard !Task.isCancelled, running[timer]?.number == number else { return }
            running[timer] = nil
            await fire()
        }
        running[timer] = Running(number: number, waiting: waiting)
    }

    /// Cancels a timer, which no longer fires.
    func cancel(_ timer: SessionTimer) { running.removeValue(forKey: timer)?.waiting.cancel() }
}
