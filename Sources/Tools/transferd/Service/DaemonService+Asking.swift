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
        await inProcess.list(filter, reaching: caller.reaches)
    }

    /// How a transfer stands that the caller may reach.
    func status(of id: TransferID, for caller: BusCaller) throws -> TransferStatus {
        guard let status = registry.status(of: id), caller.reaches(status.app) else {
            throw BusFault(.noSuchTransfer, "there is no transfer \(id); 'transferctl list --all' shows all there are")
        }
        return status
    }

    /// The path of a finished download that the caller may reach, also of one that ended long ago.
    func finishedFile(of id: TransferID, for caller: BusCaller) async throws -> String {
        var stored: TransferStatus?
        if registry.status(of: id) == nil { stored = try await history?.transfers([id]).first.map(TransferStatus.init) }
        let status = try stored.flatMap { caller.reaches($0.app) ? $0 : nil } ?? status(of: id, for: caller)
        guard status.state == .finished, !status.isUpload, let path = status.path else {
            throw BusFault(
                .invalidArgument, "transfer \(id) has no finished file: it is \(status.state.rawValue)")
        }
        return path
    }

    func show(_ id: TransferID, for caller: BusCaller) async throws -> TransferDetails {
        _ = try status(of: id, for: caller)
        return try await inProcess.show(id)
    }

    func explain(_ id: TransferID, for caller: BusCaller) async throws -> WaitExplanation {
        _ = try status(of: id, for: caller)
        return try await inProcess.explain(id)
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
