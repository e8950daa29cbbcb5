// SPDX-License-Identifier: Apache-2.0
import SQLiteStore
import TransferBusProtocol
import TransferBusServer
import TransferEngine
import TransferModel
import TransferScheduling

/// Saying how transfers stand, and why.
extension DaemonService {
    func list(_ filter: TransferFilter, for caller: BusCaller) async -> [TransferStatus] {
        func fits(_ app: String, _ session: String?) -> Bool {
            caller.reaches(app) && filter.session.map { session == $0 } ?? true && filter.app.map { app == $0 } ?? true
        }
        var rows = registry.unfinished(where: fits)
        if filter.explains(rows.count) {
            for index in rows.indices where rows[index].state == .waiting {
                rows[index].sentence = await engine.explanation(of: rows[index].id)?.sentence(localTime: localTime)
            }
        }
        rows += registry.latestEnded(limit: filter.ended, where: fits)
        return rows
    }

    /// How a transfer stands that the caller may reach.
    func status(of id: TransferID, for caller: BusCaller) throws -> TransferStatus {
        guard let status = registry.status(of: id), caller.reaches(status.app) else {
            throw BusFault(.noSuchTransfer, "there is no transfer \(id); 'transferctl list --all' shows all there are")
        }
        return status
    }

    func show(_ id: TransferID, for caller: BusCaller) async throws -> TransferDetails {
        var details = TransferDetails(try status(of: id, for: caller))
        guard let specification = try await specification(of: id) else { return details }
        if details.status.state == .waiting {
            details.status.sentence = await engine.explanation(of: id)?.sentence(localTime: localTime)
        }
        details.directory = specification.destination.directory
        details.constraints = ConstraintChange(specification.traits.constraints)
        return details
    }

    /// What a transfer is to do: the store has it, since hardly anybody asks. Nil where it is over.
    func specification(of id: TransferID) async throws -> TransferSpecification? {
        guard registry.isUnfinished(id) else { return nil }
        let stored = try await history?.transfers([id]).first
        return stored?.ending == nil ? stored?.specification : nil
    }

    func explain(_ id: TransferID, for caller: BusCaller) async throws -> WaitExplanation {
        let status = try status(of: id, for: caller)
        guard !status.state.isOver, let explanation = await engine.explanationInTurn(of: id) else {
            return WaitExplanation(sentence: status.error ?? "it is \(status.state.rawValue)")
        }
        var answer = WaitExplanation(explanation, localTime: localTime)
        if answer.reasons.isEmpty { answer.sentence = "nothing holds it: it runs, or is about to" }
        return answer
    }

    // MARK: Objects

    nonisolated func service(for caller: BusCaller) -> any SharedTransferService {
        CallerService(daemon: self, caller: caller)
    }

    nonisolated func isUnfinished(_ id: TransferID, for caller: BusCaller) -> Bool {
        guard let status = registry.status(of: id) else { return false }
        return !status.state.isOver && caller.reaches(status.app)
    }

    nonisolated func unfinishedTransfers(for caller: BusCaller) -> [TransferID] {
        registry.unfinishedNumbers(where: caller.reaches)
    }

    nonisolated func unfinishedSessions(for caller: BusCaller) -> [SessionKey] {
        registry.sessions(where: caller.reaches).sorted()
    }
}
