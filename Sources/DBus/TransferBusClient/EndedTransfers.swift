// SPDX-License-Identifier: Apache-2.0
internal import GLibBridge
internal import TransferEngine
package import TransferModel

/// The ended transfers of the daemon over D-Bus.
package struct EndedTransfers: EndedTransferManager {
    private let client: BusClient

    /// Creates a view of the ended transfers that a connected client reaches.
    package init(of client: BusClient) { self.client = client }

    /// Returns the latest 1,000 ended transfers of an app that belong to no session, newest first.
    package func latest(of app: String) async throws -> [TransferStatus] {
        var filter = TransferFilter()
        (filter.ended, filter.app) = (1000, app)
        return try await client.list(filter).filter { $0.state.isEnded && $0.session == nil }
    }

    package func retry(_ ids: [TransferID]) async throws -> [TransferID] {
        let reply = try await client.call("Retry", [.list(ids.map { .integer($0.rawValue) })], type: "(ax)")
        return (reply.first?.items ?? []).compactMap { $0.integer.map(TransferID.init) }
    }

    package func remove(_ ids: [TransferID]) async throws {
        _ = try await client.call("Remove", [.list(ids.map { .integer($0.rawValue) })], type: "(ax)")
    }
}
