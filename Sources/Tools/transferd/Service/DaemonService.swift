// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import LinuxClock
import Logging
import SQLiteStore
import ToolSupport
import TransferBusProtocol
import TransferBusServer
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferSessions

/// What stands behind the bus: checks who may do what, hands it to the engine, and answers from the engine's registry.
actor DaemonService: ExportedService {
    let engine: TransferEngine
    let host: SessionHost
    let spool: any SourceSpool
    let starter: AppStarter
    let alarm: any Alarm
    let holdSwitch: HoldSwitch
    let defaultDirectory: String
    let stateDirectory: String
    let trusted: TrustedSandboxes
    /// Has the bus server classify callers anew; nil before there is one.
    var reclassify: (@Sendable () -> Void)?
    /// What was lost of the queue before this start.
    let loss: StateLoss?
    let logger: Logger
    var configuration: DaemonConfiguration
    /// The engine's service, over which the rights of callers are laid.
    private(set) var inProcess: EngineService
    var localTime: LocalTimeRules { inProcess.localTime }
    /// What the machine is like; nil before the first look.
    private(set) var conditions: Conditions?
    /// The states of all unfinished transfers and the latest ended ones, which the engine keeps up to date.
    nonisolated let registry: TransferRegistry
    private let metricsRegistry: MetricsRegistry
    /// Takes down what happens; nil before the queue was read.
    private(set) var history: SQLiteStore?
    /// Tells watchers; nil before the bus is there.
    private(set) var tell: (@Sendable (TransferStatus) async -> Void)?
    /// The number of transfers that are being submitted just now, by app: they count before the registry has them.
    var arriving: [String: Int] = [:]
    /// The kept files of uploads outside sessions.
    var sources: [TransferID: KeptSource] = [:]
    /// The finished files of sandboxed apps that named no folder.
    var cachedDownloads: CachedDownloads
    /// Ends that the desktop has not been told of yet.
    private var endNotes = EndNotes()
    private var notify: (@Sendable (EndNotes.Note) async -> Void)?
    /// Has the document portal run, in which folders of apps lie.
    private var startDocumentPortal: (@Sendable () async -> Void)?
    private static let noteDelay = Duration.seconds(2)
    private static let feedingEnd = Duration.seconds(2)

    init(
        engine: TransferEngine, registry: TransferRegistry, host: SessionHost, spool: any SourceSpool,
        starter: AppStarter, alarm: any Alarm,
        holdSwitch: HoldSwitch,
        configuration: DaemonConfiguration,
        stateDirectory: String, loss: StateLoss? = nil, defaultDirectory: String, metrics: MetricsRegistry,
        logger: Logger
    ) {
        self.engine = engine
        self.host = host
        self.spool = spool
        self.starter = starter
        self.alarm = alarm
        self.holdSwitch = holdSwitch
        self.configuration = configuration
        self.stateDirectory = stateDirectory
        trusted = TrustedSandboxes(path: stateDirectory + "/trusted-sandboxes.json")
        self.loss = loss
        self.defaultDirectory = defaultDirectory
        cachedDownloads = CachedDownloads(
            folder: defaultDirectory, at: alarm.now().wall.secondsSinceEpoch)
        self.registry = registry
        metricsRegistry = metrics
        self.logger = logger
        inProcess = EngineService(engine, localTime: LocalTimeRules(current: alarm.now().wall))
    }

    /// Fills the registry from the store, and removes partial files that a daemon which died left of ended transfers.
    func load(_ store: SQLiteStore, partialDirectory: String) async throws {
        var leftovers = Leftovers(folder: partialDirectory)
        for transfer in try await store.ended(limit: 1000).reversed() {
            registry.add(transfer)
            if transfer.ending?.kept == nil { leftovers.done.insert(transfer.id) }
        }
        var last = TransferID(0)
        while case let some = try await store.unfinished(after: last, limit: 1000), let end = some.last {
            for transfer in some {
                registry.add(transfer)
                leftovers.unfinished.insert(transfer.id)
                noteSource(of: transfer.id, transfer.specification)
            }
            last = end.id
        }
        leftovers.remove()
        history = store
        try await host.load(keeping: Array(sources.values))
    }

    /// Has the bus server classify callers anew by `body` once a person has admitted a sandbox.
    func onTrustChanged(_ body: @escaping @Sendable () -> Void) { reclassify = body }

    /// Follows the engine until its end.
    func follow(
        telling tell: @escaping @Sendable (TransferStatus) async -> Void,
        conditions tellConditions: @escaping @Sendable (Conditions) async -> Void,
        ends notify: @escaping @Sendable (EndNotes.Note) async -> Void,
        documents startDocumentPortal: @escaping @Sendable () async -> Void
    ) async {
        self.tell = tell
        self.notify = notify
        self.startDocumentPortal = startDocumentPortal
        let (sessionUpdates, toSessions) = AsyncStream.makeStream(of: TransferUpdate.self)
        // At its own pace: it may wait for the disk.
        let feeding = Task { [host] in for await update in sessionUpdates { await host.take(update) } }
        for await update in engine.updates {
            switch update {
            case .transfer(let transfer):
                toSessions.yield(transfer)
                await take(transfer)
            case .conditions(let conditions):
                inProcess.localTime = conditions.localTime
                self.conditions = conditions
                history?.record(conditions, at: now)
                await tellConditions(conditions)
            case .storeTrouble(let error): logger.error("the queue could not be saved", metadata: ["why": "\(error)"])
            }
        }
        toSessions.finish()
        // What cannot be saved by then is found in the queue at the next start.
        let limit = Task {
            try? await Task.sleep(for: Self.feedingEnd)
            feeding.cancel()
        }
        await feeding.value
        limit.cancel()
    }

    private func take(_ update: TransferUpdate) async {
        if let moment = TransferMoment(update, localTime: localTime) { history?.record(moment) }
        if case .submitted(let transfer) = update.kind { noteSource(of: update.id, transfer.specification) }
        guard let status = update.status else { return }
        log(update, status)
        // Before the transfer is tried again.
        if case .retrying(_, let failure, _) = update.kind, failure.cause == .folderUnavailable, let startDocumentPortal
        {
            Task { await startDocumentPortal() }
        }
        if status.state.isOver {
            removeSource(of: update.id)
            if status.state == .finished, !status.isUpload, let path = status.path {
                cachedDownloads.add(path, bytes: status.bytes, of: status.app)
            }
            noteEnd(status)
        }
        await tell?(status)
    }

    /// The desktop is told a moment later, together with what else ends until then.
    private func noteEnd(_ status: TransferStatus) {
        guard configuration.notifies, let notify else { return }
        let isFirst = endNotes.isEmpty
        endNotes.take(status)
        guard isFirst, !endNotes.isEmpty else { return }
        Task {
            try? await Task.sleep(for: Self.noteDelay)
            if let note = endNotes.tell() { await notify(note) }
        }
    }

    private func log(_ update: TransferUpdate, _ status: TransferStatus) {
        let metadata: Logger.Metadata = ["id": "\(status.id)", "url": "\(status.url)", "app": "\(status.app)"]
        switch update.kind {
        case .submitted: logger.info("handed over", metadata: metadata)
        case .started: logger.debug("started", metadata: metadata)
        case .changed, .paused, .resumed, .waiting, .progressed: break
        case .stopped(let explanation, _):
            logger.info("paused: \(explanation.sentence(localTime: localTime))", metadata: metadata)
        case .retrying(_, let failure, _): logger.info("failed for now: \(failure.message)", metadata: metadata)
        case .finished, .failed, .cancelled:
            logger.info("\(status.state.rawValue)\(status.error.map { ": \($0)" } ?? "")", metadata: metadata)
        }
    }

    /// Takes over other settings, as far as they take effect while transfers run.
    func reconfigure(_ configuration: DaemonConfiguration) async throws {
        let isPolicyNew = configuration.policy != self.configuration.policy
        if isPolicyNew { await engine.setPolicy(try PolicyCatalog.policy(named: configuration.policy)) }
        self.configuration = configuration
        engine.setBudgetLimits(configuration.budgetLimits)
        await host.limitFiles(perApp: configuration.filesPerApp)
    }

    nonisolated var now: WallTime { alarm.now().wall }

    /// Counts and times, which tell of all apps.
    nonisolated func metrics(for caller: BusCaller) throws(BusFault) -> String {
        guard !caller.isSandboxed else {
            throw BusFault(.accessDenied, "counts of all apps are not for a program in a sandbox")
        }
        return metricsRegistry.text
    }
}
