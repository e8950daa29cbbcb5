// SPDX-License-Identifier: Apache-2.0
internal import BackgroundTransfer
internal import HTTPExecutor
internal import LinuxClock
public import Logging
public import Metrics
package import SQLiteStore
public import ServiceLifecycle
internal import SessionFolders
internal import Synchronization
package import TransferEngine
internal import TransferModel
package import TransferSessions
internal import UploadSpool

/// A service that transfers files in this process, without a daemon, when the conditions are right. Transfers continue
/// at the program's next start.
///
/// ```swift
/// let transfers = try TransferService("org.example.Podcasts")
/// async let running: Void = ServiceGroup(
///     services: [transfers], gracefulShutdownSignals: [.sigterm], logger: Logger(label: "podcasts")
/// ).run()
/// let id = try await transfers.submit(TransferSpecification(downloading: url, to: folder), key: "episode-7")
/// let file = try await transfers.completion(of: id).file
/// ```
///
/// After ``activate()``, the background sessions of this process use the same engine.
///
/// The daemon starts a program that a session needs. The embedded engine calls the program's handler instead: see
/// `BackgroundApplication.onEvents(_:)`.
///
/// Orders of sessions are saved shortly after they are given, not before the call returns. An orderly end of ``run()``
/// saves every order.
///
/// ## Topics
/// ### Running
/// - ``init(_:metrics:logger:configure:)``
/// - ``Configuration``
/// - ``run()``
/// - ``activate()``
/// ### Submitting Transfers
/// - ``submit(_:key:)``
/// - ``submit(_:)``
/// - ``keep(_:equalTo:version:_:constraints:)``
/// ### Following Transfers
/// - ``completion(of:)``
/// - ``updates(of:)``
/// - ``updates()``
/// - ``waits()``
/// - ``list(ended:)``
/// - ``explain(_:)``
/// - ``explanation(of:)``
/// ### Controlling Transfers
/// - ``cancel(_:)``
/// - ``pause(_:)``
/// - ``resume(_:)``
/// - ``change(_:_:)``
/// - ``setPolicy(_:)``
public final class TransferService: Service {
    let engine: TransferEngine
    let store: SQLiteStore
    /// The states of all unfinished transfers and of the latest ended transfers.
    let registry = TransferRegistry()
    let followers: TransferFollowers
    let submissions: TransferSubmissions
    let reports: WaitReports
    let latch = EngineLatch()
    private let app: String
    /// The rules for times in sentences, which follow the conditions.
    private let localTime: Mutex<LocalTimeRules>
    private let host: SessionHost
    private let channel: EmbeddedChannel
    private let lock: StateLock?
    private let logger: Logger

    /// Creates a service. Nothing runs before ``run()`` is called.
    ///
    /// ```swift
    /// let transfers = try TransferService("org.example.Podcasts") { $0.policy = StrictPolicy() }
    /// ```
    ///
    /// The service logs submissions, waits, pauses, retries, and ends at the level `info`, starts at the level `debug`,
    /// and problems of the queue at the level `error`.
    ///
    /// - Parameters:
    ///   - app: The identifier of the program, such as `org.example.Podcasts`, which names its folders.
    ///   - metrics: The destination of the service's metrics. The value `nil` uses the factory with which the process
    ///     has bootstrapped swift-metrics.
    ///   - logger: The logger of the service.
    ///   - configure: A closure that changes the default settings.
    /// - Throws: ``TransferServiceError/cannotStart(_:)``.
    public convenience init(
        _ app: String, metrics: (any MetricsFactory)? = nil,
        logger: Logger = Logger(label: "org.transferd.embedded"),
        configure: (inout Configuration) -> Void = { _ in }
    ) throws(TransferServiceError) {
        var configuration = Configuration()
        configure(&configuration)
        let folders = try configuration.folders(of: app)
        let lock = try StateLock(directory: folders.state)
        var storeConfiguration = SQLiteStoreConfiguration(path: folders.state + "/queue.sqlite")
        (storeConfiguration.keepsBackup, storeConfiguration.repairsDamage) = (true, true)
        let (store, alarm): (SQLiteStore, LinuxAlarm)
        let executor: any TransferExecutor
        do {
            store = try SQLiteStore(storeConfiguration)
            alarm = try LinuxAlarm()
            executor =
                try configuration.executor
                ?? HTTPExecutor(
                    configuration: HTTPExecutorConfiguration(partialDirectory: folders.state + "/partial"),
                    transport: configuration.transport)
        } catch {
            throw .cannotStart("\(error)")
        }
        if let loss = store.loss { logger.error("state lost", metadata: ["what": "\(loss)"]) }
        self.init(
            app, configuration, folders: folders, store: store, executor: executor, alarm: alarm, metrics: metrics,
            logger: logger, lock: lock)
    }

    /// Creates a service from its ports.
    package init(
        _ app: String, _ configuration: Configuration, folders: (state: String, cache: String), store: SQLiteStore,
        executor: any TransferExecutor, alarm: any Alarm, launcher: any ProgramLauncher = InProcessLauncher(),
        metrics: (any MetricsFactory)? = nil, logger: Logger, lock: StateLock? = nil
    ) {
        self.store = store
        self.lock = lock
        self.app = app
        self.logger = logger
        engine = TransferEngine(
            store: store, executor: executor, conditions: configuration.conditions, alarm: alarm,
            configuration: configuration.scheduling, policy: configuration.policy, registry: registry,
            metrics: metrics)
        submissions = TransferSubmissions(engine: engine, store: store, app: app)
        let reports = WaitReports(
            limit: configuration.explainedTransfers, metrics: metrics ?? MetricsSystem.factory, logger: logger
        ) { [engine] in engine.watch($0) }
        self.reports = reports
        followers = TransferFollowers { [engine] id, isWatched in
            if isWatched {
                engine.watch(id)
            } else if !reports.include(id) {
                engine.unwatch(id)
            }
        }
        localTime = Mutex(LocalTimeRules(current: alarm.now().wall))
        let proxies = ProxyRule(explicit: nil)
        host = SessionHost(
            engine: engine, store: store,
            resolver: SessionFolders(
                cache: folders.cache, isProxied: { proxies.applies(scheme: $0, host: $1) },
                readUpload: { path, method, type throws(TransferFailure) in
                    try UploadSource(fileAt: path, method: method, contentType: type)
                }),
            spool: UploadSpool(folder: folders.state + "/sources") { folder in
                ExecutorFiles.availableSpace(
                    at: folder,
                    configuration: HTTPExecutorConfiguration(partialDirectory: folders.state + "/partial"))
            }, launcher: launcher, alarm: alarm, logger: logger, filesPerApp: configuration.filesPerApp)
        channel = EmbeddedChannel(host: host, app: app, latch: latch)
    }

    /// Makes this engine run the background sessions that this process creates from now on.
    public func activate() { SessionChannels.use(channel) }

    /// Runs transfers until the task is canceled or the service is shut down. Running transfers are then stopped, and
    /// their bytes are kept for the next start.
    ///
    /// - Throws: The store's error if the queue cannot be read or saved.
    public func run() async throws {
        defer {
            latch.fail()
            followers.end()
            reports.end()
        }
        try await load()
        reports.add(registry.unfinishedNumbers { _ in true })
        try await withGracefulShutdownHandler {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { [engine] in try await engine.run() }
                group.addTask { [self] in for await update in engine.updates { await handle(update) } }
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

    /// Fills the registry from the store, and reads the sessions.
    private func load() async throws {
        for transfer in try await store.ended(limit: 1000).reversed() { registry.add(transfer) }
        var last = TransferID(0)
        while case let page = try await store.unfinished(after: last, limit: 1000), let end = page.last {
            for transfer in page { registry.add(transfer) }
            last = end.id
        }
        try await host.load()
    }

    private func handle(_ update: EngineUpdate) async {
        switch update {
        case .transfer(let update):
            let localTime = localTime.withLock { $0 }
            logger.record(update, localTime: localTime)
            reports.handle(update, localTime: localTime)
            followers.send(update, localTime: localTime)
            await host.handle(update)
        case .conditions(let conditions): localTime.withLock { $0 = conditions.localTime }
        case .storeError(let error): logger.error("cannot save the queue", metadata: ["why": "\(error)"])
        }
    }

    /// The engine as a manager of its transfers.
    var manager: EngineService { EngineService(engine, localTime: localTime.withLock { $0 }) }

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
