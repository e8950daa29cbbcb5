// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// A manager that keeps ended transfers and accepts requests about them.
package protocol EndedTransferManager: Sendable {
    /// Submits failed and canceled transfers again, all or none. Returns the IDs of the new transfers, in the order of
    /// `ids`.
    func retry(_ ids: [TransferID]) async throws -> [TransferID]
    /// Removes ended transfers from lists and from the history, all or none. Their files stay.
    func remove(_ ids: [TransferID]) async throws
}
