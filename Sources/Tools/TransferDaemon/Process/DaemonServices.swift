// SPDX-License-Identifier: Apache-2.0
import Logging
import ServiceLifecycle
import ToolSupport
import TransferBusProtocol
import TransferBusServer

/// A service of a few steps.
struct Steps: Service {
    private let body: @Sendable () async throws -> Void

    init(_ body: @escaping @Sendable () async throws -> Void) { self.body = body }

    func run() async throws { try await body() }
}

/// Passes the updates of the engine to the bus.
struct FollowRun: Service {
    let service: DaemonService
    let server: BusServer
    let publisher: ConditionsPublisher

    func run() async throws {
        await service.follow(
            notifying: DaemonListeners(
                changed: { await server.report($0) },
                conditions: {
                    await server.report($0)
                    await publisher.update($0)
                },
                ended: { [service] message in
                    await server.notify(
                        title: message.title, body: message.body, isFailure: message.isFailure,
                        buttons: message.actions.flatMap(\.buttons)
                    ) { key in
                        let action = message.actions.first { $0.buttons.contains { $0.key == key } }
                        Task { await action?.perform(by: server, service) }
                    }
                },
                documentsMissing: { await server.startDocumentPortal() }))
        // A service that returns ends the whole group, so wait for the shutdown.
        try? await gracefulShutdown()
    }
}

/// Runs the bus server.
///
/// - Throws: `BusServerError` if the server ends for any reason but a shutdown.
struct BusRun: Service {
    let server: BusServer
    let address: String
    let lock: StateLock
    let logger: Logger
    /// Called once the daemon answers on the bus.
    let onReady: @Sendable () -> Void

    func run() async throws {
        try await server.start(address: address)
        lock.setChanging(false)
        ServiceNotifier()?.send("READY=1")
        onReady()
        logger.notice("on the bus as \(TransferBusName.service)")
        let end = await withGracefulShutdownHandler {
            await server.ended()
        } onGracefulShutdown: {
            lock.setChanging(true)
            Task { await server.stop() }
        }
        guard end != .stopped else { return }
        throw BusServerError(end: end)
    }
}

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
