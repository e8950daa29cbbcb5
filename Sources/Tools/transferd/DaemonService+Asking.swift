// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import SQLiteStore
import TransferBusProtocol
import TransferBusServer
import TransferEngine
import TransferModel
import TransferScheduling

/// Saying how transfers stand, and why.
extension DaemonService {
    func list(_ filter: TransferFilter, for caller: BusCaller) async throws -> [TransferStatus] {
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

    func show(_ id: TransferID, for caller: BusCaller) async throws -> [String: VariantValue] {
        var status = try status(of: id, for: caller)
        guard let specification = try await specification(of: id) else { return status.fields }
        if status.state == .waiting {
            status.sentence = await engine.explanation(of: id)?.sentence(localTime: localTime)
        }
        var fields = status.fields
        fields["directory"] = .string(specification.destination.directory)
        fields["constraints"] = .dictionary(ConstraintChange(specification.traits.constraints).fields)
        return fields
    }

    /// What a transfer is to do: the store has it, since hardly anybody asks. Nil where it is over.
    func specification(of id: TransferID) async throws -> TransferSpecification? {
        guard registry.isUnfinished(id) else { return nil }
        let stored = try await history?.transfers([id]).first
        return stored?.ending == nil ? stored?.specification : nil
    }

    func explain(_ id: TransferID, for caller: BusCaller) async throws -> [String: VariantValue] {
        let status = try status(of: id, for: caller)
        guard !status.state.isOver, let explanation = await engine.explanationInTurn(of: id) else {
            return ["sentence": .string(status.error ?? "it is \(status.state.rawValue)"), "reasons": .list([])]
        }
        var fields = ExplanationFields.fields(of: explanation, localTime: localTime)
        if explanation.holds.isEmpty { fields["sentence"] = .string("nothing holds it: it runs, or is about to") }
        return fields
    }

    // MARK: Objects

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
