// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import SQLiteStore
import ToolSupport
import TransferBusProtocol
import TransferBusServer
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferSessions

/// What there is beside single transfers: apps, sessions, limiters, the manager's properties.
extension DaemonService {
    func sessions(for caller: BusCaller) async throws -> [SessionStatus] {
        var sessions: [SessionKey: SessionStatus] = [:]
        for status in registry.unfinished(where: { $1 != nil && caller.reaches($0) }) {
            guard let session = status.session else { continue }
            let name = SessionKey(app: status.app, identifier: session)
            sessions[name, default: SessionStatus(name)].add(status)
        }
        for summary in await host.sessionSummaries() where caller.reaches(summary.key.app) {
            sessions[summary.key, default: SessionStatus(summary.key)].background = SessionStatus.Background(
                tasks: summary.tasks, waitingEvents: summary.waitingEvents, owner: summary.owner)
        }
        return sessions.values.sorted { $0.name < $1.name }
    }

    func limiters(for caller: BusCaller) async throws -> [[String: VariantValue]] {
        let (delays, now) = await engine.relaunchDelays()
        return delays.filter { caller.reaches($0.app) }.map { Self.fields(of: $0.delay, app: $0.app, at: now) }
    }

    private static func fields(
        of delay: RelaunchLimiter.Explanation, app: String, at now: Moment
    ) -> [String: VariantValue] {
        func date(_ instant: Instant) -> VariantValue { .string(BusDate(now.wall(at: instant)).description) }
        var fields: [String: VariantValue] = [
            "app": .string(app), "delay": .integer(delay.delay.components.seconds),
            "relaunches": .integer(Int64(delay.relaunches)), "cause": .string(delay.cause.rawValue),
            "waiting": .list(
                delay.waiting.map {
                    .dictionary(["release": date($0.release), "count": .integer(Int64($0.count))])
                }), "begun": .integer(Int64(delay.begun)),
        ]
        fields["last"] = delay.lastRelaunch.map(date)
        fields["until"] = delay.until.map(date)
        return fields
    }

    func apps(for caller: BusCaller) async throws -> [[String: VariantValue]] {
        var apps: [String: SessionStatus] = [:]
        var sessions: [String: Set<String>] = [:]
        var partial: [String: Int64] = [:]
        for status in registry.unfinished(where: { app, _ in caller.reaches(app) }) {
            apps[status.app, default: SessionStatus(SessionKey(app: status.app, identifier: ""))].add(status)
            if !status.isUpload { partial[status.app, default: 0] += status.bytes }
            if let session = status.session { sessions[status.app, default: []].insert(session) }
        }
        let delays = await engine.relaunchDelays().delays.filter { caller.reaches($0.app) }
        for (app, _) in delays where apps[app] == nil {
            apps[app] = SessionStatus(SessionKey(app: app, identifier: ""))
        }
        let statuses = await host.appStatuses().filter { caller.reaches($0.app) }
        for status in statuses where apps[status.app] == nil {
            apps[status.app] = SessionStatus(SessionKey(app: status.app, identifier: ""))
        }
        for app in cachedDownloads.apps where apps[app] == nil && caller.reaches(app) {
            apps[app] = SessionStatus(SessionKey(app: app, identifier: ""))
        }
        for summary in await host.sessionSummaries() where caller.reaches(summary.key.app) {
            sessions[summary.key.app, default: []].insert(summary.key.identifier)
        }
        let usages = await host.fileUsages()
        return apps.sorted { $0.key < $1.key }.map { app, counts in
            let delay = delays.first { $0.app == app }?.delay.delay ?? .zero
            let background = statuses.first { $0.app == app }.map(fields) ?? [:]
            return background.merging([
                "app": .string(app), "open": .integer(Int64(counts.transfers.count)),
                "running": .integer(Int64(counts.running)), "waiting": .integer(Int64(counts.waiting)),
                "paused": .integer(Int64(counts.paused)),
                "sessions": .list((sessions[app] ?? []).sorted().map(VariantValue.string)),
                "delay": .integer(delay.components.seconds),
            ]) { $1 }.merging(fields(of: usages[app] ?? SessionHost.FileUsage(), partial[app] ?? 0, app: app)) { $1 }
        }
    }

    /// What an app takes of the disk.
    ///
    /// - Parameter partial: the bytes of its open downloads, those outside sessions included.
    private func fields(of usage: SessionHost.FileUsage, _ partial: Int64, app: String) -> [String: VariantValue] {
        let kept = spool.usage(of: BusCaller.limitGroup(of: app))
        let cached = cachedDownloads.usage(of: app)
        return [
            "tasks": .integer(Int64(usage.tasks)), "source-files": .integer(Int64(kept.files)),
            "source-bytes": .integer(kept.bytes),
            "finished-files": .integer(Int64(usage.finishedFiles + cached.files)),
            "finished-bytes": .integer(usage.finishedBytes + cached.bytes), "partial-bytes": .integer(partial),
            "counted-bytes": .integer(usage.finishedBytes + usage.partialBytes + cached.bytes + kept.bytes),
            "bytes-limit": .integer(configuration.filesPerApp),
        ]
    }

    func properties(for caller: BusCaller) async -> [String: VariantValue] {
        // Paths of the host, and what a person wrote, are nothing for a program in a sandbox.
        let isTrusted = !caller.isSandboxed
        return [
            "Version": .string(TransferdCommand.version), "ProcessID": .integer(Int64(getpid())),
            "Policy": .string(configuration.policy),
            "Held": .dictionary(Self.fields(of: holdSwitch.hold, for: caller)),
            "Conditions": .dictionary(
                conditions.map { ConditionsFields.fields(of: $0, isForPerson: caller.isPerson) } ?? [:]),
            "StateDirectory": .string(isTrusted ? stateDirectory : ""),
            "StateLost": .dictionary(isTrusted ? loss.map(Self.fields) ?? [:] : [:]),
        ]
    }

    /// What was lost of the queue, as a property.
    private static func fields(of loss: StateLoss) -> [String: VariantValue] {
        var fields: [String: VariantValue] = ["reason": .string(loss.reason), "file": .string(loss.damagedFile)]
        fields["backup"] = loss.backupDate.map { .string(BusDate($0).description) }
        return fields
    }

    /// The hold as a property; its reason, which a person wrote, is not for programs in sandboxes.
    static func fields(of fact: Fact<MachineHold?>, for caller: BusCaller) -> [String: VariantValue] {
        guard let hold = fact.value else { return [:] }
        var fields: [String: VariantValue] = [
            "reason": .string(caller.isSandboxed ? "" : hold.why),
            "since": .string(BusDate(fact.since.wall).description),
        ]
        fields["until"] = hold.until.map { .string(BusDate($0).description) }
        return fields
    }
}
