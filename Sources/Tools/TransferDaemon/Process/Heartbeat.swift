// SPDX-License-Identifier: Apache-2.0
import ServiceLifecycle
import ToolSupport

/// Confirms to the service manager that the daemon works.
///
/// Each heartbeat first passes through the inbox of the engine and the thread of the bus. A daemon that is stuck
/// sends no heartbeat, and the manager restarts it.
///
/// Costs two wake-ups in each watchdog interval, and none if the manager has no watchdog.
struct Heartbeat: Service {
    let notifier: ServiceNotifier?
    /// Returns after each required component has replied.
    let check: @Sendable () async -> Void

    func run() async throws {
        guard let notifier, let watchdog = notifier.watchdog else {
            try? await gracefulShutdown()
            return
        }
        // The sleep throws on cancellation, which ends the loop.
        try? await cancelWhenGracefulShutdown {
            while true {
                await check()
                notifier.send("WATCHDOG=1")
                try await Task.sleep(for: watchdog / 2, tolerance: watchdog / 10, clock: .suspending)
            }
        }
    }
}
