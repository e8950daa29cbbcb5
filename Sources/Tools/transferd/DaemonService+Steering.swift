// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
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
    func steer(_ ids: [TransferID], _ deed: TransferDeed, for caller: BusCaller) async throws {
        for id in ids {
            let status = try status(of: id, for: caller)
            guard !status.state.isOver else {
                throw BusFault(.transferEnded, "transfer \(id) is over: \(status.state.rawValue)")
            }
        }
        if deed == .startNow { try await checkUrgency(.userInitiated, for: caller) }
        for id in ids {
            switch deed {
            case .pause: engine.pause(id)
            case .resume: engine.resume(id)
            case .cancel: engine.cancel(id)
            case .startNow:
                try await asking { try await engine.change(id, .startNow) }
                engine.resume(id)
            }
        }
        // Answered once it is saved: a change that changes nothing comes after all that was asked before.
        for id in ids.suffix(1) { try? await engine.change(id, TransferChange()) }
        if deed == .cancel { try await awaitEnds(of: ids) }
        for id in ids {
            let status = book.change(id) { status in
                switch deed {
                case .pause where status.state == .waiting: status.state = .paused
                case .resume where status.state == .paused: status.state = .waiting
                case .startNow:
                    status.kind = .userInitiated
                    if status.state == .paused { status.state = .waiting }
                default: break
                }
            }
            if let status { await tell?(status) }
        }
    }

    func change(_ id: TransferID, _ values: [String: VariantValue], for caller: BusCaller) async throws {
        let status = try status(of: id, for: caller)
        guard let specification = try await specification(of: id) else {
            throw BusFault(.transferEnded, "transfer \(id) is over: \(status.state.rawValue)")
        }
        var fields = BusFields(values)
        var change = TransferChange()
        change.kind = try fields.choice("kind", of: WorkKind.self)
        try await checkUrgency(change.kind, for: caller)
        change.priority = try fields.integer("priority", in: 0...1000).map(Int.init)
        var constraints = specification.traits.constraints
        if try constraints.take(&fields) { change.constraints = constraints }
        try fields.end(in: "a change")
        try await asking { try await engine.change(id, change) }
        let changed = book.change(id) { status in
            status.kind = change.kind ?? status.kind
            status.priority = change.priority ?? status.priority
        }
        if let changed { await tell?(changed) }
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
        let own = await host.sessionSummaries().filter { $0.key.app == app }
        let open = book.openTransfers { $0.app == app }
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
        let ids = book.openTransfers { $0.app == app }.map(\.id)
        for id in ids { engine.cancel(id) }
        // Answered once it is saved, as in `steer`.
        for id in ids.suffix(1) { try? await engine.change(id, TransferChange()) }
        try await awaitEnds(of: ids)
        logger.notice("an app was ended for good", metadata: ["app": "\(app)", "cancelled": "\(count)"])
        return count
    }

    /// Returns when cancelled transfers are over: one that runs ends with its attempt, and until then a crash would have it
    /// go on.
    private func awaitEnds(of ids: [TransferID]) async throws {
        await withCheckedContinuation { reply in
            endWaiting.add(Set(ids.filter(book.isOpen)), reply)
        }
        guard !ids.contains(where: book.isOpen) else {
            throw BusFault(.shuttingDown, "the daemon is on its way out; ask again whether they are cancelled")
        }
    }

    /// What the engine refuses, in the bus's words.
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
