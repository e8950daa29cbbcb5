// SPDX-License-Identifier: Apache-2.0
package import TransferModel
package import TransferSessions

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
