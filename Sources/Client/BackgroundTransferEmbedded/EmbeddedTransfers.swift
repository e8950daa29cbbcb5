// SPDX-License-Identifier: Apache-2.0
internal import BackgroundTransfer
internal import LinuxClock
internal import LinuxConditions
internal import Logging
internal import SQLiteStore
public import ServiceLifecycle
internal import SessionFolders
package import TransferEngine
internal import TransferModel
internal import TransferPolicy
internal import TransferScheduling
package import TransferSessions
internal import URLSessionExecutor
internal import UploadSpool

/// Background sessions over an engine in this process, for programs that want no daemon: the same API, and transfers that go
/// on at the program's next start.
///
/// ```swift
/// let transfers = try EmbeddedTransfers(EmbeddedConfiguration(app: "org.example.Podcasts"))
/// transfers.activate()  // Sessions made from now on are carried out here.
/// try await ServiceGroup(services: [transfers, …], gracefulShutdownSignals: [.sigterm], logger: logger).run()
/// ```
///
/// What the daemon does by starting a program, this does by a call within it: see `BackgroundApplication.onEvents(_:)`.
/// Orders are saved soon after they are given, not before the call returns; an end of ``run()`` in good order saves all.
public final class EmbeddedTransfers: Service {
    private let engine: TransferEngine
    private let host: SessionHost
    private let channel: EmbeddedChannel
    private let gate = EngineGate()
    private let app: String
    private let lock: StateLock?
    private let logger: Logger

    /// An engine with its state in a folder; nothing starts before ``run()``.
    ///
    /// - Throws: `EmbeddedError` that says what is wrong with the folder or the machine, and what to do.
    public convenience init(_ configuration: EmbeddedConfiguration) throws {
        let lock = try StateLock(directory: configuration.stateDirectory)
        var storing = SQLiteStoreConfiguration(path: configuration.stateDirectory + "/queue.sqlite")
        (storing.keepsBackup, storing.repairsDamage) = (true, true)
        let (store, alarm): (SQLiteStore, LinuxAlarm)
        let executor: URLSessionExecutor
        do {
            store = try SQLiteStore(storing)
            alarm = try LinuxAlarm()
            executor = try URLSessionExecutor(
                configuration: URLSessionExecutorConfiguration(
                    partialDirectory: configuration.stateDirectory + "/partial"))
        } catch {
            throw EmbeddedError(message: "\(error)")
        }
        if let loss = store.loss { configuration.logger.error("state lost", metadata: ["what": "\(loss)"]) }
        var watching = LinuxConditionsConfiguration()
        watching.localTime = LocalTimeRules(systemZoneIn: "/etc/localtime")
        watching.watchLocalTime = { LocalTimeWatch(onChange: $0) }
        self.init(
            configuration, store: store, sessions: store, executor: executor,
            conditions: LinuxConditions(configuration: watching, now: { alarm.now() }), alarm: alarm, lock: lock)
    }

    /// The same over any ports.
    package init(
        _ configuration: EmbeddedConfiguration, store: any TransferStore, sessions: any SessionStore,
        executor: any TransferExecutor, conditions: any ConditionSource, alarm: any Alarm,
        launcher: any ProgramLauncher = CallingLauncher(),
        lock: StateLock? = nil
    ) {
        self.lock = lock
        app = configuration.app
        logger = configuration.logger
        engine = TransferEngine(
            store: store, executor: executor, conditions: conditions, alarm: alarm,
            policy: configuration.policy, seed: .random(in: .min ... .max))
        let proxies = ProxyRule(explicit: nil)
        host = SessionHost(
            engine: engine, store: sessions,
            place: SessionFolders(
                cache: configuration.cacheDirectory, isProxied: { proxies.applies(scheme: $0, host: $1) },
                readUpload: { path, method, type throws(TransferFailure) in
                    try UploadSource(fileAt: path, method: method, contentType: type)
                }),
            spool: UploadSpool(folder: configuration.stateDirectory + "/sources") { folder in
                ExecutorFiles.availableSpace(
                    at: folder,
                    configuration: URLSessionExecutorConfiguration(
                        partialDirectory: configuration.stateDirectory + "/partial"))
            }, launcher: launcher, alarm: alarm, logger: configuration.logger,
            filesPerApp: configuration.filesPerApp)
        channel = EmbeddedChannel(host: host, app: configuration.app, gate: gate)
    }

    /// Has the background sessions that this process makes from now on carried out here, and by no daemon.
    public func activate() { SessionChannels.use(channel) }

    /// Carries transfers out until the task is cancelled or the service is shut down; then what runs is stopped and its
    /// bytes are kept for the next start.
    ///
    /// - Throws: what the store throws where the queue cannot be read or saved.
    public func run() async throws {
        try await host.load()
        try await withGracefulShutdownHandler {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { [engine] in try await engine.run() }
                group.addTask { [engine, host] in
                    for await update in engine.updates {
                        switch update {
                        case .transfer(let update): await host.take(update)
                        case .storeTrouble(let error): self.logger.error("the queue could not be saved: \(error)")
                        case .conditions: break
                        }
                    }
                }
                await host.goOn()
                gate.open()
                // The engine's end ends the updates; the orders that were given before it are saved first.
                try await group.next()
                channel.end()
                try await group.waitForAll()
            }
        } onGracefulShutdown: { [engine, channel] in
            Task {
                await channel.drain()
                engine.shutDown()
            }
        }
    }

    // MARK: For trials

    /// One more way to the engine, as another process would have it.
    package func makeChannel(named name: String) -> EmbeddedChannel {
        EmbeddedChannel(host: host, app: app, name: name, gate: gate)
    }

    /// The relaunch limiter's delay.
    package var relaunchDelay: Duration {
        get async { await engine.relaunchDelays().delays.first { $0.app == app }?.delay.delay ?? .zero }
    }

    /// As if a person had ended the program for good.
    package func quit() async { await host.quit(app) }
}
