// SPDX-License-Identifier: Apache-2.0
package import TransferEngine
package import TransferModel

/// The service that the bus server exports: a view for each caller, and the state behind the objects on the bus.
///
/// Methods throw `BusFault` to refuse a request. Callers receive an error without a D-Bus name as `StoreFailed`.
package protocol ExportedService: Sendable {
    /// Returns the service with the caller's access rights.
    nonisolated func service(for caller: BusCaller) -> any SharedTransferManager & EndedTransferManager
    /// The service behind the sessions on the bus.
    nonisolated var sessions: any SessionService { get }
    /// The systemd units whose sandboxes the user has admitted.
    nonisolated var trustedSandboxes: Set<String> { get }
    /// Opens a finished file for reading. The receiver must close the descriptor.
    func open(_ id: TransferID, for caller: BusCaller) async throws -> Int32
    /// Removes a finished file from the daemon's own folder.
    func discard(_ id: TransferID, for caller: BusCaller) async throws
    /// Returns the statuses of the given transfers. Omits transfers that are unknown or that the caller may not
    /// reach.
    nonisolated func statuses(of ids: [TransferID], for caller: BusCaller) -> [TransferStatus]
    /// The current time of the wall clock.
    nonisolated var now: WallTime { get }
    /// Returns the sessions with unfinished transfers that the caller may reach. They are the session objects on the
    /// bus.
    nonisolated func unfinishedSessions(for caller: BusCaller) -> [SessionKey]
}
