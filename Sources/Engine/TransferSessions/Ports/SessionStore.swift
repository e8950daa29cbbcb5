// SPDX-License-Identifier: Apache-2.0
package import TransferEngine
package import TransferModel

/// Keeps sessions, their tasks and what their apps have not heard yet, beside the transfers.
package protocol SessionStore: Sendable {
    /// All that is kept, sessions in the order of their keys, tasks in that of their numbers.
    func sessions() async throws -> [StoredSession]
    /// Saves all of it or none, durably.
    func commit(_ changes: [SessionChange]) async throws
    /// The newest transfers that were handed over with these keys, by key, ended ones too.
    func transfers(forKeys keys: [String]) async throws -> [String: StoredTransfer]
    /// Those with these numbers, ended ones too.
    func transfers(_ ids: [TransferID]) async throws -> [StoredTransfer]
}
