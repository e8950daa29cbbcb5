// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import LinuxClock
import LinuxConditions
import Logging
import SQLiteStore
import ServiceLifecycle
import SessionFolders
import Synchronization
import ToolSupport
import TransferBusProtocol
import TransferBusServer
import TransferEngine
import TransferFiles
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferSessions
import UnixSignals
import UploadSpool
import WorkerExecutor

/// The daemon: creates all parts, connects them, and runs them until the end.
struct Daemon {
    private let engine: TransferEngine
    private let host: SessionHost
    private let executor: WorkerExecutor
    private let service: DaemonService
    private let server: BusServer
    private let store: SQLiteStore
    private let partialDirectory: String
    private let partials: PartialSweep
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
        var storing = SQLiteStoreConfiguration(path: state + "/queue.sqlite")
        (storing.keepsBackup, storing.repairsDamage) = (true, true)
        do { store = try SQLiteStore(storing) } catch { throw UsageError("\(error)") }
        if let loss = store.loss { logger.error("state lost", metadata: ["what": "\(loss)"]) }
        partials = PartialSweep(directory: state + "/partial")
        let alarm = try AdapterFactory.alarm()
        partialDirectory = state + "/partial"
        var executing = URLSessionExecutorConfiguration(partialDirectory: partialDirectory)
        executing.limits = configuration.limits
        var working = WorkerExecutorConfiguration(
            executor: executing, program: try Self.workerProgram(), logger: logger)
        // A compromised worker must not reach the files of two apps if either app is in a sandbox (C11).
        working.isolationGroup = { $0.specification.isSandboxed ? $0.specification.traits.app : nil }
        do {
            executor = try WorkerExecutor(configuration: working)
        } catch {
            throw UsageError("\(error)")
        }
        let holds = HoldWatch()
        self.holds = holds
        let conditions = HoldSwitch(
            base: try AdapterFactory.conditions(sysfsRoot: sysfsRoot, alarm: alarm, delaysSleep: true), alarm: alarm,
            path: state + "/hold.json", onChange: { holds.report($0) })
        var scheduling = SchedulerConfiguration()
        scheduling.globalSlots = configuration.parallel
        scheduling.slotsPerHost = configuration.parallelPerHost
        scheduling.slotsPerApp = configuration.parallelPerApp
        scheduling.relaunchLimiter.first = .seconds(configuration.relaunchDelay)
        scheduling.relaunchLimiter.longest = .seconds(configuration.relaunchDelayLimit)
        let policy: any Policy
        do { policy = try PolicyCatalog.policy(named: configuration.policy) } catch { throw UsageError("\(error)") }
        let (metrics, registry) = (MetricsRegistry(), TransferRegistry())
        engine = TransferEngine(
            store: store, executor: executor, conditions: conditions, alarm: alarm, configuration: scheduling,
            policy: policy, registry: registry, metrics: metrics, seed: .random(in: .min ... .max))
        engine.setBudgetLimits(configuration.budgetLimits)
        let programs = BusPrograms()
        let starter = AppStarter(bus: programs)
        var limits = SessionLimits()
        limits.tasks = configuration.openPerApp
        let spool = UploadSpool(folder: state + "/sources") { [executing] in
            ExecutorFiles.availableSpace(at: $0, configuration: executing)
        }
        host = SessionHost(
            engine: engine, store: store, resolver: Self.folders(beside: state), spool: spool, launcher: starter,
            alarm: alarm, logger: logger, loss: store.loss?.description, limits: limits,
            filesPerApp: configuration.filesPerApp)
        service = DaemonService(
            engine: engine, registry: registry, host: host, spool: spool, starter: starter, alarm: alarm,
            holdSwitch: conditions,
            configuration: configuration, stateDirectory: state, loss: store.loss,
            defaultDirectory: Self.cacheFolder(beside: state), metrics: metrics, logger: logger)
        server = BusServer(service: service, programs: programs)
    }

    /// Runs until SIGTERM or SIGINT, or until the connection to the bus ends.
    func run(bus address: String) async throws {
        await service.onTrustChanged { [server] in server.reclassify() }
        // Reading a long queue takes time, so the daemon connects to the bus meanwhile. Calls that arrive early are
        // handled after the queue is read.
        let loading = Task {
            do {
                try await service.load(store, partialDirectory: partialDirectory)
            } catch {
                server.abandon()
                throw (error as? TransferStoreError).map { UsageError("\($0)") } ?? error
            }
            server.serve()
        }
        let deadline = ShutdownDeadline(logger: logger) { [executor] in
            executor.processIDs.map { "the worker \($0)" }
        } lastAct: { [executor] in
            executor.killWorkers()
        }
        deadline.watch()
        let heartbeat = Heartbeat(notifier: ServiceNotifier()) { [engine, server] in
            await engine.ping()
            await server.ping()
        }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    // Services end in reverse order. The bus ends first, so that no call reaches an engine that has
                    // ended. The follower ends after the engine, so that it handles the last updates.
                    .init(
                        service: deadline.watched(
                            "reports of transfers",
                            AfterLoading(loading, FollowRun(service: service, server: server)))),
                    .init(service: deadline.watched("the engine", AfterLoading(loading, EngineRun(engine: engine)))),
                    .init(
                        service: deadline.watched(
                            "sessions", AfterLoading(loading, SessionRun(host: host)))),
                    .init(service: deadline.watched("partial files", AfterLoading(loading, SweepRun(daemon: self)))),
                    .init(service: HoldRun(watch: holds, server: server)),
                    .init(service: ReloadRun(daemon: self)),
                    .init(service: heartbeat),
                    .init(
                        service: deadline.watched("the bus", BusRun(server: server, address: address, logger: logger)),
                        successTerminationBehavior: .gracefullyShutdownGroup),
                ], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        let result: Result<Void, any Error>
        do { result = .success(try await group.run()) } catch { result = .failure(error) }
        await deadline.watching("the bus's thread") { await server.stopThread() }
        try await deadline.watching("reading the queue") { try await loading.value }
        try result.get()
        logger.info("ended")
    }

    /// Removes partial files from which no transfer can resume.
    fileprivate func sweep() async {
        let orphanedFiles = partials.orphanedFiles()
        do {
            let unwanted = Set(try await store.unreferenced(orphanedFiles.map { ($0.path, $0.transfer) }))
            let removed = orphanedFiles.filter { unwanted.contains($0.path) && partials.remove($0) }
            guard !removed.isEmpty else { return }
            logger.info("removed orphaned partial files", metadata: ["count": "\(removed.count)"])
        } catch {
            logger.warning("cannot look for orphaned partial files", metadata: ["why": "\(error)"])
        }
    }

    /// Reloads the configuration. An invalid configuration changes nothing and is logged.
    func reload() async {
        do {
            let configuration = try DaemonConfiguration(path: configurationPath, isNamed: isConfigurationNamed)
            try await service.reconfigure(configuration)
            executor.setLimits(configuration.limits)
            logger.notice("configuration reloaded; parallel…, relaunch-…, and log-level take effect at the next start")
        } catch {
            logger.error("configuration not reloaded: \(error)")
        }
    }
}

/// Starts a service once the queue has been read.
private struct AfterLoading<Base: Service>: Service {
    private let loading: Task<Void, any Error>
    private let base: Base

    init(_ loading: Task<Void, any Error>, _ base: Base) { (self.loading, self.base) = (loading, base) }

    func run() async throws {
        try await loading.value
        try await base.run()
    }
}

/// Runs the engine, and shuts it down with the group.
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

/// Passes the updates of the engine to the bus.
private struct FollowRun: Service {
    let service: DaemonService
    let server: BusServer

    func run() async throws {
        await service.follow(
            notifying: DaemonListeners(
                changed: { await server.report($0) }, conditions: { await server.report($0) },
                ended: { await server.notify(title: $0.title, body: $0.body, isFailure: $0.isFailure) },
                documentsMissing: { await server.startDocumentPortal() }))
        // A service that returns ends the whole group, so wait for the shutdown.
        try? await gracefulShutdown()
    }
}

/// Completes the unfinished work of sessions once, at the start.
private struct SessionRun: Service {
    let host: SessionHost

    func run() async throws {
        await host.resumeWork()
        try? await gracefulShutdown()
    }
}

/// Removes orphaned partial files once, at the start.
private struct SweepRun: Service {
    let daemon: Daemon

    func run() async throws {
        await daemon.sweep()
        try? await gracefulShutdown()
    }
}

/// Reports changes of the user's hold to the bus.
private struct HoldRun: Service {
    let watch: HoldWatch
    let server: BusServer

    func run() async throws {
        for await hold in watch.changes.cancelOnGracefulShutdown() {
            await server.report(hold)
        }
    }
}

/// Reloads the configuration on SIGHUP.
private struct ReloadRun: Service {
    let daemon: Daemon

    func run() async throws {
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() { await daemon.reload() }
    }
}

/// Runs the bus server.
///
/// - Throws: `BusServerError` if the server ends for any reason but a shutdown.
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
