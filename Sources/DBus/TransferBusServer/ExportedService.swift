// SPDX-License-Identifier: Apache-2.0
package import TransferEngine
package import TransferModel
package import TransferSessions

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

/// The service behind the sessions on the bus.
///
/// Methods throw `SessionRefusal` or `BusFault` to refuse a request.
package protocol SessionService: Sendable {
    /// Opens a session for a process of its app and returns the session's state.
    func open(
        _ settings: SessionSettings, by client: SessionClient, registration: AppRegistration?
    ) async throws -> SessionState
    /// Whether a process has the session open. The session belongs to the process's own app, or uses a container that
    /// the app shares.
    func hasOpen(_ key: SessionKey, _ client: String) async -> Bool
    /// Executes an order. Returns after the order is durable.
    ///
    /// - Parameter file: The file of a new upload, open until the method returns; `nil` if a path names the file.
    func post(_ order: TaskOrder, file: Int32?, in key: SessionKey, from caller: BusCaller) async throws
    /// Opens the finished file of an unacknowledged event. The receiver must close the descriptor.
    func openFile(ofEvent number: EventNumber, in key: SessionKey) async throws -> Int32
    /// Sends a process all pending events of a session again, because the process may have missed some.
    func resendEvents(_ client: String, in key: SessionKey) async
    /// Returns the unfinished tasks of a session.
    func tasks(of key: SessionKey) async -> [TaskSnapshot]
    /// Returns the body of an unfinished task's request. Empty if there is none.
    func body(ofTask number: Int, in key: SessionKey) async -> [UInt8]
    /// Returns the reasons why a task waits; `nil` if the task does not wait.
    func explanation(ofTask number: Int, in key: SessionKey) async -> WaitExplanation?
    /// Records that an app has handled an event.
    func acknowledge(_ number: EventNumber, in key: SessionKey, from client: String) async throws
    /// Closes a session for a process.
    func close(_ key: SessionKey, by client: String) async
    /// Closes the sessions of a process that has disconnected.
    func disconnected(_ client: String) async
    /// Sets whether the user is working with an app, as reported by the app.
    func setInFront(_ isInFront: Bool, app: String) async
    /// Records the complete set of windows that the desktops report, by app.
    func updateWindows(_ windows: [String: WindowFocus]) async
}
