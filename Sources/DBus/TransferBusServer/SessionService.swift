// SPDX-License-Identifier: Apache-2.0
package import TransferModel
package import TransferSessions

/// The service behind the sessions on the bus.
///
/// Methods throw `SessionRefusal` or `BusFault` where they will not.
package protocol SessionService: Sendable {
    /// Joins a process to a session of its app.
    func open(
        _ settings: SessionSettings, by client: SessionClient, registration: AppRegistration?
    ) async throws -> SessionState
    /// Whether a process has that session open: its own app's, or one of a container that it shares.
    func hasOpen(_ key: SessionKey, _ client: String) async -> Bool
    /// Carries an order out. On return it is saved.
    ///
    /// - Parameter file: the file that a new upload sends, open until the return; nil where a path names it.
    func post(_ order: TaskOrder, file: Int32?, in key: SessionKey, from client: String) async throws
    /// Opens the finished file of an event that waits to be acknowledged; the descriptor is the receiver's to close.
    func openFile(ofEvent number: EventNumber, in key: SessionKey) async throws -> Int32
    /// Tells a process once more what waits for it in a session, since it may have missed some.
    func tellAgain(_ client: String, in key: SessionKey) async
    /// The tasks of a session that are not over.
    func tasks(of key: SessionKey) async -> [TaskSnapshot]
    /// An app has dealt with an event.
    func acknowledge(_ number: EventNumber, in key: SessionKey, from client: String) async throws
    /// A process has done with a session.
    func close(_ key: SessionKey, by client: String) async
    /// A process has gone.
    func disconnected(_ client: String) async
    /// An app says whether a person works with it.
    func setInFront(_ isInFront: Bool, app: String) async
    /// The desktop tells of its windows: all that it tells, by the names of apps.
    func noteWindows(_ windows: [String: WindowFocus]) async
}
