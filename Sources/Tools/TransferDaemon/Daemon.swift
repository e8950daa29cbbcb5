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
    private let publisher: ConditionsPublisher
    private let store: SQLiteStore
    private let partialDirectory: String
    private let partials: PartialSweep
    private let holds: HoldWatch
    private let rates: RateSchedule
    private let starter: AppStarter
    private let programs: BusPrograms
    private let lock: StateLock
    private let rpc: RPCServer
    private let rpcSettings: RPCSettings?
    private let configurationPath: String
    private let isConfigurationNamed: Bool
    private let logger: Logger

    init(
        configuration: DaemonConfiguration, configurationPath: String, isConfigurationNamed: Bool, state: String,
        bus: String, lock: StateLock, sysfsRoot: String, logger: Logger
    ) async throws {
        self.lock = lock
        self.configurationPath = configurationPath
        self.isConfigurationNamed = isConfigurationNamed
        self.logger = logger
        rpc = RPCServer(state: state, bus: bus, logger: logger)
        rpcSettings = configuration.rpc
        do { store = try SQLiteStore(Self.storing(in: state)) } catch { throw UsageError("\(error)") }
        if let loss = store.loss { logger.error("state lost", metadata: ["what": "\(loss)"]) }
        partials = PartialSweep(directory: state + "/partial")
        let alarm = try AdapterFactory.alarm()
        partialDirectory = state + "/partial"
        var executing = HTTPExecutorConfiguration(partialDirectory: partialDirectory)
        executing.limits = configuration.limits
        executing.allowsLocalRedirects = configuration.allowsLocalRedirects
        var working = WorkerExecutorConfiguration(
            executor: executing, program: try Self.workerProgram(), logger: logger)
        // A compromised worker must not reach the files of two apps if either app is in a sandbox (C11).
        working.isolationGroup = { $0.specification.isSandboxed ? $0.specification.traits.app : nil }
        do {
            executor = try WorkerExecutor(configuration: working)
        } catch {
            throw UsageError("\(error)")
        }
        rates = RateSchedule(alarm: alarm) { [executor] in executor.setLimits($0) }
        rates.configure(configuration)
        let holds = HoldWatch()
        self.holds = holds
        let machine = AdapterFactory.conditions(sysfsRoot: sysfsRoot, alarm: alarm, delaysSleep: true) {
            $0.prices = configuration.prices
            $0.customConditions = configuration.conditions
            $0.followsPipes = true
        }
        let sleepPrevention = SleepPrevention { machine.preventSleep($0) }
        sleepPrevention.enable(configuration.staysAwake, at: alarm.now().wall)
        let conditions = HeldConditions(
            machine, HoldFile(in: state), alarm: alarm, onChange: { holds.report($0) })
        var scheduling = SchedulerConfiguration()
        scheduling.globalSlots = configuration.parallel
        scheduling.slotsPerHost = configuration.parallelPerHost
        scheduling.slotsPerApp = configuration.parallelPerApp
        scheduling.rateLimit = configuration.rateLimit
        scheduling.relaunchLimiter.first = .seconds(configuration.relaunchDelay)
        scheduling.relaunchLimiter.longest = .seconds(configuration.relaunchDelayLimit)
        let policy: any Policy
        do { policy = try PolicyCatalog.policy(named: configuration.policy) } catch { throw UsageError("\(error)") }
        let (metrics, registry) = (MetricsRegistry(), TransferRegistry())
        engine = TransferEngine(
            store: store, executor: executor, conditions: conditions, alarm: alarm, configuration: scheduling,
            policy: policy, registry: registry, metrics: metrics, seed: .random(in: .min ... .max))
        engine.setBudgetLimits(configuration.budgetLimits)
        programs = BusPrograms()
        starter = AppStarter(bus: programs)
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
            heldConditions: conditions, sleepPrevention: sleepPrevention,
            configuration: configuration, stateDirectory: state, loss: store.loss,
            defaultDirectory: Self.cacheFolder(beside: state), metrics: metrics, logger: logger)
        let server = BusServer(service: service, programs: programs)
        self.server = server
        publisher = ConditionsPublisher(alarm: alarm) { await server.publish($0) }
    }

    /// Runs until SIGTERM or SIGINT, until the connection to the bus ends, or until the program's file is replaced. In
    /// the last case, this process continues as the new program.
    ///
    /// - Parameters:
    ///   - address: The address of the bus.
    ///   - continuation: The state that an earlier program of this process left.
    func run(bus address: String, continuing continuation: Continuation?) async throws {
        if let continuation { starter.adopt(continuation.launched, others: continuation.children) }
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
        let check = ReplacementCheck(arguments: CommandLine.arguments)
        let watch = ReplacementWatch(program: ProgramFile(), logger: logger) {
            await check.outcome(of: $0)
        } onAccepted: {
            deadline.begin()
        }
        deadline.onEnd {
            if !deadline.isSignaled, let program = watch.replacement { continueProcess(as: program) }
        }
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
                        service: deadline.watched("reports of transfers") {
                            try await loading.value
                            try await FollowRun(service: service, server: server, publisher: publisher).run()
                        }),
                    .init(
                        service: deadline.watched("the engine") {
                            try await loading.value
                            try await withGracefulShutdownHandler {
                                try await engine.run()
                            } onGracefulShutdown: {
                                engine.shutDown()
                            }
                        }),
                    .init(
                        service: deadline.watched("sessions and partial files") {
                            try await loading.value
                            await host.resumeWork()
                            await sweep()
                            try? await gracefulShutdown()
                        }),
                    .init(
                        service: Steps {
                            for await hold in holds.changes.cancelOnGracefulShutdown() { await server.report(hold) }
                        }),
                    .init(
                        service: Steps {
                            let signals = await UnixSignalsSequence(trapping: .sighup)
                            for await _ in signals.cancelOnGracefulShutdown() { await reload() }
                        }),
                    .init(service: deadline.watched("the RPC server") { try await rpc.run() }),
                    .init(service: heartbeat),
                    .init(service: watch, successTerminationBehavior: .gracefullyShutdownGroup),
                    .init(
                        service: deadline.watched("the bus") {
                            try await BusRun(
                                server: server, address: address, lock: lock, logger: logger,
                                onReady: { [rpc, rpcSettings] in rpc.configure(rpcSettings) }
                            ).run()
                        },
                        successTerminationBehavior: .gracefullyShutdownGroup),
                ], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        let result: Result<Void, any Error>
        do { result = .success(try await group.run()) } catch { result = .failure(error) }
        await deadline.watching("the bus's thread") { await server.stopThread() }
        try await deadline.watching("reading the queue") { try await loading.value }
        try result.get()
        guard let program = watch.replacement, !deadline.isSignaled else { return logger.info("ended") }
        await deadline.watching("the queue") { await store.close() }
        continueProcess(as: program)
        throw ContinuationError()
    }

    /// Continues this process as another program. Returns only if that fails.
    private func continueProcess(as program: String) {
        let continuation = Continuation(
            lock: lock.descriptor, launched: programs.launched.contents, children: executor.processIDs + rpc.processIDs)
        let reason = continuation.run(program, CommandLine.arguments)
        logger.critical("cannot continue as the new program", metadata: ["why": "\(reason)"])
    }

    /// Removes partial files from which no transfer can resume.
    private func sweep() async {
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
    private func reload() async {
        do {
            let configuration = try DaemonConfiguration(path: configurationPath, isNamed: isConfigurationNamed)
            try await service.reconfigure(configuration)
            rates.configure(configuration)
            rpc.configure(configuration.rpc)
            logger.notice(
                "configuration reloaded; parallel…, relaunch-…, price, condition, and log-level take effect at the next start"
            )
        } catch {
            logger.error("configuration not reloaded: \(error)")
        }
    }
}
