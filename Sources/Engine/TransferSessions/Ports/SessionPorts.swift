// SPDX-License-Identifier: Apache-2.0
package import TransferEngine
package import TransferModel

/// A launcher of programs for their sessions.
package protocol ProgramLauncher: Sendable {
    /// Starts an app, or calls the running app, to handle a session's events. Returns after the app has accepted the
    /// call or has clearly failed to do so.
    func launch(_ registration: AppRegistration, of app: String, for session: String) async -> LaunchOutcome
}

/// The operations of sessions that depend on URLs and folders.
package protocol RequestResolver: Sendable {
    /// Returns the specification of a task's transfer. The caller fills in the traits, except for the host and the
    /// loopback flag.
    ///
    /// - Throws: `UnusableTask` if the task cannot become a transfer. The task ends with the error's failure.
    func specification(
        of task: TaskSnapshot, in session: SessionKey, by settings: SessionSettings, at now: WallTime
    ) throws(UnusableTask) -> TransferSpecification
    /// Returns the absolute path of the folder in which the app keeps the files of a session's named tasks.
    func namedFilesFolder(of session: SessionKey, by settings: SessionSettings) -> String
    /// Removes a finished file that its app did not claim.
    func remove(_ file: String)
}

/// The storage of sessions, their tasks and their unreported events, next to the transfers.
package protocol SessionStore: Sendable {
    /// Returns all stored sessions, ordered by key, with tasks ordered by number.
    func sessions() async throws -> [StoredSession]
    /// Saves all changes atomically. Returns after the changes are durable.
    func commit(_ changes: [SessionChange]) async throws
    /// Returns the newest transfer submitted with each key, by key. Includes ended transfers.
    func transfers(forKeys keys: [String]) async throws -> [String: StoredTransfer]
    /// Returns the transfers with these IDs. Includes ended transfers.
    func transfers(_ ids: [TransferID]) async throws -> [StoredTransfer]
}
