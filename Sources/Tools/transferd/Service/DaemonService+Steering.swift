// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxClock
import Logging
import TransferBusProtocol
import TransferBusServer
import TransferEngine
import TransferModel
import TransferScheduling
import TransferSessions

/// Doing what callers ask for.
extension DaemonService {
    func control(_ ids: [TransferID], _ action: ControlAction, for caller: BusCaller) async throws {
        for id in ids { try checkUnfinished(id, for: caller) }
        if action == .startNow { try await checkUrgency(.userInitiated, for: caller) }
        try await asking { try await inProcess.control(ids, action) }
    }

    func change(_ id: TransferID, _ request: ChangeRequest, for caller: BusCaller) async throws {
        try checkUnfinished(id, for: caller)
        try await checkUrgency(request.kind, for: caller)
        try await asking { try await inProcess.change(id, request) }
    }

    private func checkUnfinished(_ id: TransferID, for caller: BusCaller) throws {
        let status = try status(of: id, for: caller)
        guard !status.state.isOver else {
            throw BusFault(.transferEnded, "transfer \(id) is over: \(status.state.rawValue)")
        }
    }

    func hold(_ request: HoldRequest?, for caller: BusCaller) async throws {
        guard caller.isPerson else {
            throw BusFault.onlyPerson("hold everything", "hold")
        }
        let hold = request.map { request in
            MachineHold(
                by: "the user", why: request.reason.isEmpty ? "no reason was given" : request.reason,
                until: request.seconds.map { now.advanced(by: .seconds(min($0, 3_155_760_000))) })
        }
        do { try holdSwitch.set(hold) } catch {
            throw BusFault(.storeFailed, "the hold cannot be saved: \(error.localizedDescription)")
        }
        logger.info(hold == nil ? "released" : "held", metadata: hold.map { ["why": "\($0.why)"] } ?? [:])
    }

    func quit(_ app: String, for caller: BusCaller) async throws -> Int {
        guard caller.isPerson else {
            throw BusFault.onlyPerson("end an app's transfers", "apps quit")
        }
        let own = await host.read { $0.summaries().filter { $0.key.app == app } }
        let open = registry.unfinished { other, _ in other == app }
        guard !open.isEmpty || !own.isEmpty else {
            throw BusFault(
                .noSuchApp,
                "no app '\(app.prefix(200))' has transfers that are not over, or sessions; 'transferctl apps' shows them"
            )
        }
        let sessions = Set(own.map(\.key.identifier))
        let others = open.count { !($0.session.map(sessions.contains) ?? false) }
        let count = own.reduce(others) { $0 + $1.tasks }
        await host.quit(app)
        let ids = registry.unfinishedNumbers { $0 == app }
        try await asking { try await engine.cancelAwaitingEnd(ids) }
        logger.notice("an app was ended for good", metadata: ["app": "\(app)", "cancelled": "\(count)"])
        return count
    }

    /// What the engine refuses, in the bus's words.
    @discardableResult
    func asking<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch is EngineEndedError {
            throw BusFault(.shuttingDown, "the daemon is on its way out; the next call starts it again")
        } catch let error as RefusedTransferError {
            throw BusFault(.invalidArgument, error.description)
        } catch let error as TransferChangeError {
            throw BusFault(.invalidArgument, error.description)
        } catch let error as TransferStoreError where error.code == .noSuchTransfer {
            throw BusFault(.transferEnded, error.description)
        }
    }
}
