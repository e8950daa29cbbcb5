// SPDX-License-Identifier: Apache-2.0
package import TransferEngine
package import TransferModel

/// The service that the bus server exports: a service for each caller, and the state behind the objects on the bus.
///
/// Services throw `BusFault` where they will not; other errors are told as `StoreFailed`.
package protocol ExportedService: Sendable {
    /// The service as a caller may use it.
    nonisolated func service(for caller: BusCaller) -> any SharedTransferService
    /// What stands behind the sessions on the bus.
    nonisolated var sessions: any SessionService { get }
    /// The systemd units whose sandboxes a person has admitted.
    nonisolated var trustedSandboxes: Set<String> { get }
    /// Opens a finished file for reading; the descriptor is the receiver's to close.
    func open(_ id: TransferID, for caller: BusCaller) async throws -> Int32
    /// Removes a finished file from the daemon's own folder.
    func discard(_ id: TransferID, for caller: BusCaller) async throws
    /// The statuses of those of the transfers that are known and that the caller may reach.
    nonisolated func statuses(of ids: [TransferID], for caller: BusCaller) -> [TransferStatus]
    /// The time that the wall clock shows.
    nonisolated var now: WallTime { get }
    /// Whether a transfer is unfinished and the caller may reach it: only then it is an object on the bus.
    nonisolated func isUnfinished(_ id: TransferID, for caller: BusCaller) -> Bool
    /// The unfinished transfers that the caller may reach, by number: the objects on the bus.
    nonisolated func unfinishedTransfers(for caller: BusCaller) -> [TransferID]
    /// The sessions with unfinished transfers that the caller may reach: the objects on the bus.
    nonisolated func unfinishedSessions(for caller: BusCaller) -> [SessionKey]
}
