// SPDX-License-Identifier: Apache-2.0
import Foundation
import SQLiteStore
import ToolSupport
import TransferBusProtocol
import TransferBusServer
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferSessions

/// Lists of apps, sessions, and limiters, and the properties of the manager.
extension CallerService {
    func sessions() async throws -> [SessionStatus] {
        var sessions: [SessionKey: SessionStatus] = [:]
        for status in registry.unfinished(where: { $1 != nil && caller.reaches($0) }) {
            guard let session = status.session else { continue }
            let name = SessionKey(app: status.app, identifier: session)
            sessions[name, default: SessionStatus(name)].add(status)
        }
        for summary in await daemon.host.read({ $0.summaries() }) where caller.reaches(summary.key.app) {
            sessions[summary.key, default: SessionStatus(summary.key)].background = SessionStatus.Background(
                tasks: summary.tasks, waitingEvents: summary.waitingEvents, owner: summary.owner)
        }
        return sessions.values.sorted { $0.name < $1.name }
    }

    func relaunchDelays() async throws -> [RelaunchDelayStatus] {
        let (delays, now) = await daemon.engine.relaunchDelays()
        return delays.filter { caller.reaches($0.app) }.map { app, delay in
            var summary = RelaunchDelayStatus(
                app: app, delay: delay.delay.components.seconds, relaunches: delay.relaunches,
                cause: delay.cause.rawValue)
            summary.last = delay.lastRelaunch.map(now.wall)
            summary.until = delay.until.map(now.wall)
            summary.waiting = delay.waiting.map { .init(release: now.wall(at: $0.release), count: $0.count) }
            summary.begun = delay.begun
            return summary
        }
    }

    /// Returns the byte budgets. A connection's budget reveals the traffic of all apps, so a sandboxed program gets
    /// only its own app's budget.
    func budgets() async throws -> [BudgetStatus] {
        await daemon.engine.budgets().filter { $0.scope == "app" ? caller.reaches($0.name) : !caller.isSandboxed }
    }

    func apps() async throws -> [AppSummary] {
        var apps: [String: AppSummary] = [:]
        var sessions: [String: Set<String>] = [:]
        for status in registry.unfinished(where: { app, _ in caller.reaches(app) }) {
            apps[status.app, default: AppSummary(app: status.app)].add(status)
            if let session = status.session { sessions[status.app, default: []].insert(session) }
        }
        for (app, delay) in await daemon.engine.relaunchDelays().delays where caller.reaches(app) {
            apps[app, default: AppSummary(app: app)].delay = delay.delay.components.seconds
        }
        for status in await daemon.host.read({ $0.appStatuses() }) where caller.reaches(status.app) {
            apps[status.app, default: AppSummary(app: status.app)].background = AppSummary.Background(
                status, failures: daemon.starter.failures(of: status.app))
        }
        for app in daemon.cachedDownloads.apps where apps[app] == nil && caller.reaches(app) {
            apps[app] = AppSummary(app: app)
        }
        for summary in await daemon.host.read({ $0.summaries() }) where caller.reaches(summary.key.app) {
            sessions[summary.key.app, default: []].insert(summary.key.identifier)
        }
        let usages = await daemon.host.read { $0.fileUsages() }
        let limit = await daemon.configuration.filesPerApp
        return apps.values.sorted { $0.app < $1.app }.map { app in
            var app = app
            app.sessions = (sessions[app.app] ?? []).sorted()
            add(usages[app.app] ?? FileUsage(), to: &app, limit: limit)
            return app
        }
    }

    /// Adds the files and the disk usage of an app to its summary.
    private func add(_ usage: FileUsage, to app: inout AppSummary, limit: Int64) {
        let kept = daemon.sources.usage(of: app.app)
        let cached = daemon.cachedDownloads.usage(of: app.app)
        app.tasks = usage.tasks
        (app.sourceFiles, app.sourceBytes) = (kept.files, kept.bytes)
        (app.finishedFiles, app.finishedBytes) = (
            usage.finishedFiles + cached.files, usage.finishedBytes + cached.bytes
        )
        app.countedBytes = app.finishedBytes + usage.partialBytes + kept.bytes
        app.bytesLimit = limit
    }

    /// Returns the state of the daemon. A sandboxed program gets no path of the host.
    func status() async throws -> DaemonStatus {
        let isTrusted = !caller.isSandboxed
        var status = DaemonStatus()
        let version = daemon.version
        (status.version, status.commit, status.processID) = (version.number, version.commit ?? "", Int64(getpid()))
        status.policy = await daemon.configuration.policy
        status.held = HoldStatus(daemon.heldConditions.hold, includingReason: isTrusted)
        status.conditions =
            await daemon.conditions.map { ConditionsReport($0, includesNames: caller.isPerson, at: daemon.now) }
            ?? ConditionsReport()
        if caller.isPerson { status.conditions?.stayAwake = daemon.sleepPrevention.report }
        status.stateDirectory = isTrusted ? daemon.stateDirectory : ""
        status.stateLost = LossReport()
        if isTrusted, let loss = daemon.loss {
            status.stateLost = LossReport(reason: loss.reason, file: loss.damagedFile, backup: loss.backupDate)
        }
        return status
    }
}

extension AppSummary {
    /// Counts an unfinished transfer of the app.
    fileprivate mutating func add(_ status: TransferStatus) {
        open += 1
        switch status.state {
        case .running: running += 1
        case .waiting: waiting += 1
        case .paused: paused += 1
        case .finished, .failed, .cancelled: break  // The caller passes unfinished transfers only.
        }
        // Partial files of downloads outside sessions count, too.
        if !status.isUpload { partialBytes += status.bytes }
    }
}

extension AppSummary.Background {
    /// Creates the summary of an app's background sessions.
    fileprivate init(_ status: AppStatus, failures counts: AppStarter.Failures) {
        self.init()
        (isConnected, isInFront) = (status.isConnected, status.isInFront)
        (waitingEvents, launches) = (status.waitingEvents, status.launches)
        failures = status.failures
        (missing, crashed, silent) = (counts.missing, counts.crashed, counts.silent)
        registration = status.registration
        registeredBy = status.registeredBy.flatMap { $0.isEmpty ? nil : $0 }
        lastLaunch = status.lastLaunch
        switch status.lastOutcome {
        case nil: break  // The daemon has never started the app.
        case .started?: lastOutcome = "started"
        case .missing(let why)?: (lastOutcome, lastError) = ("missing", why)
        case .crashed(let why)?: (lastOutcome, lastError) = ("crashed", why)
        case .silent(let why)?: (lastOutcome, lastError) = ("silent", why)
        }
    }
}
