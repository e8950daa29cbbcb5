// SPDX-License-Identifier: Apache-2.0
package import TransferEngine
package import TransferModel

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
