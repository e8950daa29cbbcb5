// SPDX-License-Identifier: Apache-2.0
import Logging
import ServiceLifecycle
import ToolSupport
import TransferBusProtocol
import TransferBusServer
import TransferEngine
import TransferSessions
import UnixSignals

/// Starts a service once the queue has been read.
struct AfterLoading<Base: Service>: Service {
    private let loading: Task<Void, any Error>
    private let base: Base

    init(_ loading: Task<Void, any Error>, _ base: Base) { (self.loading, self.base) = (loading, base) }

    func run() async throws {
        try await loading.value
        try await base.run()
    }
}

/// Runs the engine, and shuts it down with the group.
struct EngineRun: Service {
    let engine: TransferEngine

    func run() async throws {
        try await withGracefulShutdownHandler {
            try await engine.run()
        } onGracefulShutdown: {
            engine.shutDown()
        }
    }
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

/// Completes the unfinished work of sessions once, at the start.
struct SessionRun: Service {
    let host: SessionHost

    func run() async throws {
        await host.resumeWork()
        try? await gracefulShutdown()
    }
}

/// Removes orphaned partial files once, at the start.
struct SweepRun: Service {
    let daemon: Daemon

    func run() async throws {
        await daemon.sweep()
        try? await gracefulShutdown()
    }
}

/// Reports changes of the user's hold to the bus.
struct HoldRun: Service {
    let watch: HoldWatch
    let server: BusServer

    func run() async throws {
        for await hold in watch.changes.cancelOnGracefulShutdown() {
            await server.report(hold)
        }
    }
}

/// Reloads the configuration on SIGHUP.
struct ReloadRun: Service {
    let daemon: Daemon

    func run() async throws {
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() { await daemon.reload() }
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
