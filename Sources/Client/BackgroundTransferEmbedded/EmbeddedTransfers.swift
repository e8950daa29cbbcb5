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

/// An engine in this process that runs background sessions without a daemon. The API of the sessions is the same, and
/// transfers continue at the program's next start.
///
/// ```swift
/// let transfers = try EmbeddedTransfers(EmbeddedConfiguration(app: "org.example.Podcasts"))
/// transfers.activate()  // Sessions that are created from now on use this engine.
/// try await ServiceGroup(services: [transfers, …], gracefulShutdownSignals: [.sigterm], logger: logger).run()
/// ```
///
/// The daemon starts a program that a session needs. The embedded engine calls the program's handler instead: see
/// `BackgroundApplication.onEvents(_:)`.
///
/// Orders are saved shortly after they are given, not before the call returns. An orderly end of ``run()`` saves
/// every order.
public final class EmbeddedTransfers: Service {
    private let engine: TransferEngine
    private let host: SessionHost
    private let channel: EmbeddedChannel
    private let latch = EngineLatch()
    private let app: String
    private let lock: StateLock?
    private let logger: Logger

    /// Creates an engine that keeps its state in a folder. Nothing runs before ``run()`` is called.
    ///
    /// - Parameter configuration: The settings of the engine.
    /// - Throws: `EmbeddedError` with a message about the problem with the folder or the machine, and its remedy.
    public convenience init(_ configuration: EmbeddedConfiguration) throws {
        let lock = try StateLock(directory: configuration.stateDirectory)
        var storeConfiguration = SQLiteStoreConfiguration(path: configuration.stateDirectory + "/queue.sqlite")
        (storeConfiguration.keepsBackup, storeConfiguration.repairsDamage) = (true, true)
        let (store, alarm): (SQLiteStore, LinuxAlarm)
        let executor: URLSessionExecutor
        do {
            store = try SQLiteStore(storeConfiguration)
            alarm = try LinuxAlarm()
            executor = try URLSessionExecutor(
                configuration: URLSessionExecutorConfiguration(
                    partialDirectory: configuration.stateDirectory + "/partial"))
        } catch {
            throw EmbeddedError(message: "\(error)")
        }
        if let loss = store.loss { configuration.logger.error("state lost", metadata: ["what": "\(loss)"]) }
        var conditionsConfiguration = LinuxConditionsConfiguration()
        conditionsConfiguration.localTime = LocalTimeRules(systemZoneIn: "/etc/localtime")
        conditionsConfiguration.watchLocalTime = { LocalTimeWatch(onChange: $0) }
        self.init(
            configuration, store: store, sessions: store, executor: executor,
            conditions: LinuxConditions(configuration: conditionsConfiguration, now: { alarm.now() }), alarm: alarm,
            lock: lock)
    }

    /// Creates an engine from its ports.
    package init(
        _ configuration: EmbeddedConfiguration, store: any TransferStore, sessions: any SessionStore,
        executor: any TransferExecutor, conditions: any ConditionSource, alarm: any Alarm,
        launcher: any ProgramLauncher = InProcessLauncher(),
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
            resolver: SessionFolders(
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
        channel = EmbeddedChannel(host: host, app: configuration.app, latch: latch)
    }

    /// Makes this engine run the background sessions that this process creates from now on.
    public func activate() { SessionChannels.use(channel) }

    /// Runs transfers until the task is canceled or the service is shut down. Running transfers are then stopped, and
    /// their bytes are kept for the next start.
    ///
    /// - Throws: The store's error if the queue cannot be read or saved.
    public func run() async throws {
        try await host.load()
        try await withGracefulShutdownHandler {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { [engine] in try await engine.run() }
                group.addTask { [engine, host] in
                    for await update in engine.updates {
                        switch update {
                        case .transfer(let update): await host.handle(update)
                        case .storeError(let error): self.logger.error("could not save the queue: \(error)")
                        case .conditions: break
                        }
                    }
                }
                await host.resumeWork()
                latch.open()
                // The end of the engine finishes its updates. Orders that were given before are saved first.
                try await group.next()
                channel.end()
                try await group.waitForAll()
            }
        } onGracefulShutdown: { [engine, channel] in
            Task {
                await channel.waitForPostedSteps()
                engine.shutDown()
            }
        }
    }

    // MARK: For tests

    /// Creates another channel to the engine, like the channel of another process.
    package func makeChannel(named name: String) -> EmbeddedChannel {
        EmbeddedChannel(host: host, app: app, name: name, latch: latch)
    }

    /// The current delay of the relaunch limiter for this app.
    package var relaunchDelay: Duration {
        get async { await engine.relaunchDelays().delays.first { $0.app == app }?.delay.delay ?? .zero }
    }

    /// Simulates that the user has quit the program for good.
    package func quit() async { await host.quit(app) }
}
