// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxClock
import Logging
import ToolSupport
import TransferBusProtocol
import TransferBusServer
import TransferEngine
import TransferFiles
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferSessions

/// Actions on transfers, apps, and the whole daemon, within the caller's rights.
extension CallerService {
    func control(_ ids: [TransferID], _ action: ControlAction) async throws {
        for id in ids { try checkUnfinished(id) }
        if action == .startNow { try await caller.checkUrgency(.userInitiated, host: daemon.host) }
        try await translatingEngineErrors { try await daemon.inProcess.control(ids, action) }
        if action == .startNow { try await passDates(of: ids) }
    }

    /// Ends the wait of delayed tasks for their dates. Their apps immediately receive requests to begin the tasks.
    private func passDates(of ids: [TransferID]) async throws {
        let delayed = await daemon.host.read { machine in ids.filter(machine.waitsForDate) }
        for id in delayed {
            var request = ChangeRequest()
            request.constraints.notBefore = daemon.now
            // A transfer that has ended meanwhile does not stop the others.
            do { try await translatingEngineErrors { try await daemon.inProcess.change(id, request) } } catch let fault
                as BusFault where [.noSuchTransfer, .transferEnded].contains(fault.code)
            {}
        }
    }

    func change(_ id: TransferID, _ request: ChangeRequest) async throws {
        try checkUnfinished(id)
        try caller.checkConditions(of: request.constraints.custom)
        try await caller.checkUrgency(request.kind, host: daemon.host)
        let location = try request.url.map { try newLocation(of: id, $0) }
        try await translatingEngineErrors { try await daemon.inProcess.change(id, request, to: location) }
    }

    /// Returns the new URL of a transfer in examined form.
    ///
    /// - Throws: `BusFault` if the caller may not choose the URL, or if the URL is invalid.
    private func newLocation(of id: TransferID, _ url: String) throws -> NewLocation {
        guard !caller.isSandboxed else {
            throw BusFault(.accessDenied, "a sandboxed program cannot change a URL: call Cancel and Submit")
        }
        if let session = try status(of: id).session {
            throw BusFault(.invalidArgument, "transfer \(id) is a task of the session \(session), which has its URL")
        }
        do {
            let target = try TransferTarget(url, proxies: ProxyRule(explicit: nil))
            return NewLocation(
                url: target.url, credential: target.credential, host: target.host, isLoopback: target.isLoopback)
        } catch let error as UsageError { throw BusFault(.invalidArgument, error.description) }
    }

    private func checkUnfinished(_ id: TransferID) throws {
        let status = try status(of: id)
        guard !status.state.isEnded else {
            throw BusFault(.transferEnded, "transfer \(id) has already ended: \(status.state.displayName)")
        }
    }

    func hold(_ request: HoldRequest?) async throws {
        guard caller.isPerson else {
            throw BusFault.onlyPerson("hold all transfers", "hold")
        }
        let hold = request.map { request in
            MachineHold(
                by: MachineHold.user, why: request.reason,
                until: request.seconds.map { daemon.now.advanced(by: .seconds(min($0, 3_155_760_000))) })
        }
        do { try daemon.heldConditions.set(hold) } catch {
            throw BusFault(.storeFailed, "cannot save the hold: \(error.localizedDescription)")
        }
        daemon.logger.info(hold == nil ? "released" : "held", metadata: hold.map { ["why": "\($0.why)"] } ?? [:])
    }

    func quit(_ app: String) async throws -> Int {
        guard caller.isPerson else {
            throw BusFault.onlyPerson("end an app's transfers", "apps quit")
        }
        let own = await daemon.host.read { $0.summaries().filter { $0.key.app == app } }
        let open = registry.unfinished { other, _ in other == app }
        guard !open.isEmpty || !own.isEmpty else {
            throw BusFault(
                .noSuchApp,
                "no app '\(app.prefix(200))' has unfinished transfers or sessions; see 'transferctl apps'"
            )
        }
        let sessions = Set(own.map(\.key.identifier))
        let others = open.count { !($0.session.map(sessions.contains) ?? false) }
        let count = own.reduce(others) { $0 + $1.tasks }
        await daemon.host.quit(app)
        let ids = registry.unfinishedNumbers { $0 == app }
        try await translatingEngineErrors { try await daemon.engine.cancelAwaitingEnd(ids) }
        daemon.logger.notice("an app was force quit", metadata: ["app": "\(app)", "cancelled": "\(count)"])
        return count
    }

    func trust(_ unit: String, _ isTrusted: Bool) async throws {
        guard caller.isPerson else {
            throw BusFault.onlyPerson("trust a sandbox", "apps trust")
        }
        let isUnit = unit.hasSuffix(".service") || unit.hasSuffix(".scope")
        guard isUnit, unit.utf8.count <= 255, !unit.contains("/"), !unit.utf8.contains(where: { $0 < 0x20 }) else {
            throw BusFault(
                .invalidArgument,
                "'\(unit.prefix(40))' is not a systemd unit such as toolbox.service; 'transferctl apps' shows the units of "
                    + "sandboxes after 'sandbox:'. To start a program in a unit, use systemd-run --user --unit=NAME")
        }
        do { try daemon.trusted.set(unit, isTrusted: isTrusted) } catch {
            throw BusFault(.storeFailed, "cannot save the trusted sandboxes: \(error.localizedDescription)")
        }
        daemon.logger.notice(
            isTrusted ? "a sandbox is trusted" : "a sandbox is no longer trusted", metadata: ["unit": "\(unit)"])
        await daemon.reclassify?()
    }
}

extension BusFault {
    /// Returns the error for an action that only the user may take.
    static func onlyPerson(_ action: String, _ command: String) -> BusFault {
        BusFault(
            .accessDenied,
            "only the user can \(action): run 'transferctl \(command)' with the transferctl that is installed beside the "
                + "daemon, in a folder that others cannot write to")
    }
}
