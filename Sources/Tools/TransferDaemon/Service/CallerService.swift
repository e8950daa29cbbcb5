// SPDX-License-Identifier: Apache-2.0
import TransferBusProtocol
import TransferBusServer
import TransferEngine
import TransferModel
import TransferSessions

/// The service that one caller on the bus sees: the service of the engine, restricted to the caller's rights.
struct CallerService: SharedTransferManager, EndedTransferManager {
    let daemon: DaemonService
    let caller: BusCaller

    var registry: TransferRegistry { daemon.registry }

    func submit(_ requests: [TransferRequest]) async throws -> [TransferID] {
        try await daemon.intake.submit(try await withFinishedFiles(requests), from: caller)
    }

    func list(_ filter: TransferFilter) async throws -> [TransferStatus] {
        await daemon.inProcess.list(filter, reaching: caller.reaches)
    }

    func show(_ id: TransferID) async throws -> TransferDetails {
        try await reading(id) { try await $0.show(id) }
    }

    func explain(_ id: TransferID) async throws -> WaitExplanation {
        try await reading(id) { try await $0.explain(id) }
    }

    /// Reads from the engine about a transfer that the caller can reach.
    ///
    /// - Throws: `BusFault` with `noSuchTransfer`, also if the transfer is removed while the engine answers.
    private func reading<Value: Sendable>(
        _ id: TransferID, _ body: (EngineService) async throws -> Value
    ) async throws -> Value {
        _ = try status(of: id)
        return try await translatingEngineErrors {
            do { return try await body(daemon.inProcess) } catch let error as TransferStoreError
                where error.code == .noSuchTransfer
            { throw BusFault.noSuchTransfer(id) }
        }
    }

    /// Returns the state of a transfer.
    ///
    /// - Throws: `BusFault` with `noSuchTransfer` if the transfer is unknown or belongs to an app that the caller
    ///   cannot reach.
    func status(of id: TransferID) throws -> TransferStatus {
        guard let status = registry.status(of: id), caller.reaches(status.app) else {
            throw BusFault.noSuchTransfer(id)
        }
        return status
    }

    /// Returns the metrics of all apps, which sandboxed programs may not read.
    func metrics() async throws -> String {
        guard !caller.isSandboxed else {
            throw BusFault(.accessDenied, "metrics of all apps are not available to sandboxed programs")
        }
        return daemon.metrics.text
    }
}

extension BusFault {
    fileprivate static func noSuchTransfer(_ id: TransferID) -> BusFault {
        BusFault(.noSuchTransfer, "no transfer \(id); 'transferctl list --all' shows all transfers")
    }
}
