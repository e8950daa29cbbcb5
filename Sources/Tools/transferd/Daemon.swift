// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import LinuxClock
import LinuxConditions
import Logging
import SQLiteStore
import ServiceLifecycle
import Synchronization
import ToolSupport
import TransferBus
import TransferEngine
import TransferPolicy
import TransferScheduling
import TransferWorker
import URLSessionExecutor
import UnixSignals

/// The daemon's parts, put together.
struct Daemon {
    private let engine: TransferEngine
    private let executor: WorkerExecutor
    private let service: DaemonService
    private let server: BusServer
    private let store: SQLiteStore
    private let holds: HoldWatch
    private let configurationPath: String
    private let isConfigurationNamed: Bool
    private let logger: Logger

    init(
        configuration: DaemonConfiguration, configurationPath: String, isConfigurationNamed: Bool, state: String,
        sysfsRoot: String, logger: Logger
    ) async throws {
        self.configurationPath = configurationPath
        self.isConfigurationNamed = isConfigurationNamed
        self.logger = logger
        do { store = try SQLiteStore(SQLiteStoreConfiguration(path: state + "/queue.sqlite")) } catch {
            throw UsageError("\(error)")
        }
        let alarm = try Parts.alarm()
        var executing = URLSessionExecutorConfiguration(partialDirectory: state + "/partial")
        executing.limits = configuration.limits
        do {
            executor = try WorkerExecutor(
                configuration: WorkerExecutorConfiguration(executor: executing, program: .thisProgram, logger: logger))
        } catch {
            throw UsageError("\(error)")
        }
        let holds = HoldWatch()
        self.holds = holds
        let conditions = HoldSwitch(
            base: try Parts.conditions(sysfsRoot: sysfsRoot, alarm: alarm, delaysSleep: true), alarm: alarm,
            path: state + "/hold.json", onChange: { holds.tell($0) })
        var scheduling = SchedulerConfiguration()
        scheduling.globalSlots = configuration.parallel
        scheduling.slotsPerHost = configuration.parallelPerHost
        scheduling.slotsPerApp = configuration.parallelPerApp
        let policy: any Policy
        do { policy = try PolicyCatalog.policy(named: configuration.policy) } catch { throw UsageError("\(error)") }
        engine = TransferEngine(
            store: store, executor: executor, conditions: conditions, alarm: alarm, configuration: scheduling,
            policy: policy, seed: .random(in: .min ... .max))
        service = DaemonService(
            engine: engine, alarm: alarm, holdSwitch: conditions, configuration: configuration, stateDirectory: state,
            defaultDirectory: Self.cacheFolder(beside: state), logger: logger)
        server = BusServer(service: service)
    }

    /// Where files go that nobody named a folder for: below `$XDG_CACHE_HOME`, else `~/.cache`.
    private static func cacheFolder(beside state: String) -> String {
        let environment = ProcessInfo.processInfo.environment
        let named = environment["XDG_CACHE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 + "/.cache" : nil }
        return (named ?? home).map { $0 + "/transferd" } ?? state + "/files"
    }

    /// Runs until SIGTERM or SIGINT, or until the bus has gone.
    func run(bus address: String) async throws {
        do { try await service.load(store) } catch let error as TransferStoreError { throw UsageError("\(error)") }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    // The last one ends first: the bus, so that nothing is asked of an engine that has ended, and the
                    // book behind the engine, whose last words it takes.
                    .init(service: BookRun(service: service, server: server)),
                    .init(service: EngineRun(engine: engine)),
                    .init(service: HoldRun(watch: holds, server: server)),
                    .init(service: ReloadRun(daemon: self)),
                    .init(
                        service: BusRun(server: server, address: address, logger: logger),
                        successTerminationBehavior: .gracefullyShutdownGroup),
                ], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        let result: Result<Void, any Error>
        do { result = .success(try await group.run()) } catch { result = .failure(error) }
        await server.letGo()
        try result.get()
        logger.info("ended")
    }

    /// Reads the configuration anew; a bad one leaves all as it was.
    func reload() async {
        do {
            let configuration = try DaemonConfiguration(path: configurationPath, isNamed: isConfigurationNamed)
            try await service.reconfigure(configuration)
            executor.setLimits(configuration.limits)
            logger.notice("the configuration was read anew; parallel…, log-level take effect at the next start")
        } catch {
            logger.error("the configuration stays as it was: \(error)")
        }
    }
}

/// Runs the engine.
private struct EngineRun: Service {
    let engine: TransferEngine

    func run() async throws {
        try await withGracefulShutdownHandler {
            try await engine.run()
        } onGracefulShutdown: {
            engine.shutDown()
        }
    }
}

/// Follows what the engine tells.
private struct BookRun: Service {
    let service: DaemonService
    let server: BusServer

    func run() async throws {
        await service.follow { await server.tell($0) }
        // The engine has ended: what comes next waits for the order to end.
        try? await gracefulShutdown()
    }
}

/// Tells changes of the hold on everything.
private struct HoldRun: Service {
    let watch: HoldWatch
    let server: BusServer

    func run() async throws {
        for await hold in watch.changes.cancelOnGracefulShutdown() {
            await server.tellChanged(["Held": .dictionary(DaemonService.fields(of: hold))])
        }
    }
}

/// Reads the configuration anew at SIGHUP.
private struct ReloadRun: Service {
    let daemon: Daemon

    func run() async throws {
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() { await daemon.reload() }
    }
}

/// Offers it all on the bus.
private struct BusRun: Service {
    let server: BusServer
    let address: String
    let logger: Logger

    func run() async throws {
        try await server.start(address: address)
        logger.notice("on the bus as \(TransferBusName.service)")
        let end = await withGracefulShutdownHandler {
            await server.ended()
        } onGracefulShutdown: {
            Task { await server.stop() }
        }
        guard end != .stopped else { return }
        throw BusServerError(end: end)
    }
}

/// Carries changes of the hold to the bus.
private final class HoldWatch: Sendable {
    let changes: AsyncStream<Fact<MachineHold?>>
    private let continuation: AsyncStream<Fact<MachineHold?>>.Continuation

    init() { (changes, continuation) = AsyncStream.makeStream() }

    func tell(_ hold: Fact<MachineHold?>) { continuation.yield(hold) }
}
