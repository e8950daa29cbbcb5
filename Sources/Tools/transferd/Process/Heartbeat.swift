// SPDX-License-Identifier: Apache-2.0
import ServiceLifecycle

/// Tells the service manager that the daemon works, as long as it really does: each heartbeat goes through the engine's
/// inbox and the bus's thread before it is sent. One that is stuck sends none, and the manager starts another daemon.
///
/// Costs two wake-ups in the time that the manager allows, and nothing where it watches nothing.
struct Heartbeat: Service {
    let notifier: ServiceNotifier?
    /// Returns when all that has to work has answered.
    let check: @Sendable () async -> Void

    func run() async throws {
        guard let notifier, let watchdog = notifier.watchdog else {
            try? await gracefulShutdown()
            return
        }
        // The sleep throws when it is cancelled: that is the end.
        try? await cancelWhenGracefulShutdown {
            while true {
                await check()
                notifier.send("WATCHDOG=1")
                try await Task.sleep(for: watchdog / 2, tolerance: watchdog / 10, clock: .suspending)
            }
        }
    }
}
