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

/// The object behind the bus server. Combines the engine, the sessions, and the history, and creates a service for
/// each caller.
actor DaemonService: ExportedService {
    let engine: TransferEngine
    let host: SessionHost
    let intake: TransferIntake
    let sessions: any SessionService
    let sources: UploadSources
    let starter: AppStarter
    let heldConditions: HeldConditions
    let sleepPrevention: SleepPrevention
    let stateDirectory: String
    let trusted: TrustedSandboxes
    /// Has the bus server classify all callers again. `nil` until the server exists.
    private(set) var reclassify: (@Sendable () -> Void)?
    /// The version of the daemon.
    let version = DaemonRelease.current.version
    /// The part of the queue that was lost before this start. `nil` if nothing was lost.
    let loss: StateLoss?
    let logger: Logger
    let metrics: MetricsRegistry
    /// The finished files of sandboxed apps that named no folder.
    let cachedDownloads: CachedDownloads
    private let completionPrograms: CompletionPrograms
    private(set) var configuration: DaemonConfiguration
    /// The service of the engine, which the services of callers restrict.
    private(set) var inProcess: EngineService
    /// The conditions of the machine. `nil` before the first snapshot.
    private(set) var conditions: Conditions?
    /// The states of all unfinished and the latest ended transfers. The engine keeps the registry up to date.
    nonisolated let registry: TransferRegistry
    /// The history, which records all events. `nil` until the queue has been read.
    private(set) var history: SQLiteStore?
    private let alarm: any Alarm
    private static let feedTimeout = Duration.seconds(2)

    init(
        engine: TransferEngine, registry: TransferRegistry, host: SessionHost, spool: any SourceSpool,
        starter: AppStarter, alarm: any Alarm, heldConditions: HeldConditions,
        sleepPrevention: SleepPrevention, configuration: DaemonConfiguration,
        stateDirectory: String, loss: StateLoss? = nil, defaultDirectory: String, metrics: MetricsRegistry,
        logger: Logger
    ) {
        (self.engine, self.registry, self.host, self.starter, self.alarm) = (engine, registry, host, starter, alarm)
        self.sleepPrevention = sleepPrevention
        (self.heldConditions, self.configuration, self.loss) = (heldConditions, configuration, loss)
        (self.stateDirectory, self.metrics, self.logger) = (stateDirectory, metrics, logger)
        trusted = TrustedSandboxes(path: stateDirectory + "/trusted-sandboxes.json")
        sources = UploadSources(spool: spool)
        cachedDownloads = CachedDownloads(folder: defaultDirectory, at: alarm.now().wall.secondsSinceEpoch)
        let service = EngineService(engine, localTime: LocalTimeRules(current: alarm.now().wall))
        inProcess = service
        let policies = DaemonPolicies(engine: engine, name: configuration.policy)
        completionPrograms = CompletionPrograms { [starter] in await starter.start($0, environment: $1) }
        intake = TransferIntake(
            service: service, registry: registry, host: host, sources: sources, cachedDownloads: cachedDownloads,
            policies: policies, defaultDirectory: defaultDirectory, limits: configuration)
        sessions = DaemonSessions(
            host: host, intake: intake,
            explainer: TaskExplainer(host: host) { LocalTimeRules(current: alarm.now().wall) }, logger: logger)
    }

    /// Fills the registry from the store. Removes partial files of ended transfers that a crashed daemon left.
    func load(_ store: SQLiteStore, partialDirectory: String) async throws {
        var orphanedFiles = OrphanedFiles(folder: partialDirectory)
        for transfer in try await store.ended(limit: 1000).reversed() {
            registry.add(transfer)
            if transfer.ending?.kept == nil { orphanedFiles.done.insert(transfer.id) }
        }
        var ownPolicies: Set<String> = []
        var last = TransferID(0)
        while case let some = try await store.unfinished(after: last, limit: 1000), let end = some.last {
            for transfer in some {
                registry.add(transfer)
                orphanedFiles.unfinished.insert(transfer.id)
                sources.record(transfer.id, transfer.specification)
                completionPrograms.record(transfer.id, transfer.specification)
                if let policy = transfer.specification.traits.policy { ownPolicies.insert(policy) }
            }
            last = end.id
        }
        orphanedFiles.remove()
        await intake.policies.allowOwn(ownPolicies, atStart: true)
        history = store
        try await host.load(keeping: sources.all)
    }

    /// Returns the stored transfers with these IDs. Unknown transfers are omitted.
    func stored(_ ids: [TransferID]) async throws -> [TransferID: StoredTransfer] {
        let transfers = try await history?.transfers(ids) ?? []
        return Dictionary(transfers.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Removes ended transfers from lists.
    func remove(_ ids: [TransferID]) async throws {
        try await history?.clear(ids)
        registry.removeEnded(Set(ids))
    }

    /// Sets the action that has the bus server classify all callers again. The action runs after the user trusts a
    /// sandbox or revokes the trust.
    func onTrustChanged(_ body: @escaping @Sendable () -> Void) { reclassify = body }

    /// Follows the engine until the engine ends, and passes each update to the sessions and the listeners.
    func follow(notifying listeners: DaemonListeners) async {
        let (sessionUpdates, toSessions) = AsyncStream.makeStream(of: TransferUpdate.self)
        // Sessions consume updates in a separate task, because they may wait for the disk.
        let feeding = Task { [host] in for await update in sessionUpdates { await host.handle(update) } }
        let ends = EndNotifier(listeners.ended)
        for await update in engine.updates {
            switch update {
            case .transfer(let transfer):
                toSessions.yield(transfer)
                await handle(transfer, notifying: listeners, ends)
            case .conditions(let conditions):
                inProcess.localTime = conditions.localTime
                sleepPrevention.follow(conditions.power.value, at: now)
                self.conditions = conditions
                history?.record(conditions, at: now)
                await listeners.conditions(conditions)
            case .storeError(let error): logger.error("cannot save the queue", metadata: ["why": "\(error)"])
            }
        }
        toSessions.finish()
        // Anything that is not saved by then is found in the queue at the next start.
        let limit = Task {
            try? await Task.sleep(for: Self.feedTimeout)
            feeding.cancel()
        }
        await feeding.value
        limit.cancel()
    }

    private func handle(_ update: TransferUpdate, notifying listeners: DaemonListeners, _ ends: EndNotifier) async {
        if let event = TransferHistoryEvent(update, localTime: inProcess.localTime) { history?.record(event) }
        if case .submitted(let transfer) = update.kind {
            sources.record(update.id, transfer.specification)
            completionPrograms.record(update.id, transfer.specification)
        }
        guard let status = update.status else { return }
        sleepPrevention.follow(status, at: now)
        logger.record(update, localTime: inProcess.localTime)
        // The portal is needed before the transfer is retried.
        if case .retrying(_, let failure, _) = update.kind, failure.cause == .folderUnavailable {
            Task { await listeners.documentsMissing() }
        }
        if case .deadline = update.kind, configuration.notifies { await ends.add(status) }
        if status.state.isEnded {
            sources.transferEnded(update.id)
            Task { [completionPrograms, logger] in
                guard let error = await completionPrograms.transferEnded(status) else { return }
                logger.warning("--on-complete: \(error)", metadata: ["id": "\(status.id)"])
            }
            if status.state == .finished, !status.isUpload, let path = status.path {
                cachedDownloads.add(path, bytes: status.bytes, of: status.app)
            }
            if configuration.notifies { await ends.add(status) }
        }
        await listeners.changed(status)
    }

    /// Applies the settings that can change while transfers run.
    ///
    /// - Throws: An error if there is no policy of that name. No setting has changed then.
    func reconfigure(_ configuration: DaemonConfiguration) async throws {
        try await intake.policies.setBase(configuration.policy)
        self.configuration = configuration
        sleepPrevention.enable(configuration.staysAwake, at: now)
        engine.setBudgetLimits(configuration.budgetLimits)
        await intake.setLimits(configuration)
        await host.limitFiles(perApp: configuration.filesPerApp)
    }

    nonisolated var now: WallTime { alarm.now().wall }

    // MARK: ExportedService

    nonisolated func service(for caller: BusCaller) -> any SharedTransferManager & EndedTransferManager {
        CallerService(daemon: self, caller: caller)
    }

    nonisolated var trustedSandboxes: Set<String> { trusted.units }

    func open(_ id: TransferID, for caller: BusCaller) async throws -> Int32 {
        try await CallerService(daemon: self, caller: caller).open(id)
    }

    func discard(_ id: TransferID, for caller: BusCaller) async throws {
        try await CallerService(daemon: self, caller: caller).discard(id)
    }

    nonisolated func statuses(of ids: [TransferID], for caller: BusCaller) -> [TransferStatus] {
        ids.compactMap { registry.status(of: $0) }.filter { caller.reaches($0.app) }
    }

    nonisolated func unfinishedSessions(for caller: BusCaller) -> [SessionKey] {
        registry.sessions(where: caller.reaches).sorted()
    }
}

/// The actions that follow the updates of the daemon's engine.
struct DaemonListeners: Sendable {
    /// Called after each change of a transfer.
    var changed: @Sendable (TransferStatus) async -> Void
    /// Called after each change of the machine's conditions.
    var conditions: @Sendable (Conditions) async -> Void
    /// Called with a notification after transfers of the user have ended.
    var ended: @Sendable (EndedTransfersSummary.Message) async -> Void
    /// Called if a folder of the document portal, which holds folders of apps, is missing. The portal must be
    /// started.
    var documentsMissing: @Sendable () async -> Void
}
