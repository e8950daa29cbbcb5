// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import TransferBusClient
import TransferBusProtocol
import TransferEngine
import TransferModel

/// Shell completion of transfer IDs.
enum TransferIDs {
    /// A completion of the IDs of unfinished transfers.
    static let completion = CompletionKind.custom { _, _, prefix in
        await ids { try await $0.list(TransferFilter()) }.filter { $0.hasPrefix(prefix) }
    }

    /// A completion of the IDs of ended transfers.
    static let endedCompletion = CompletionKind.custom { _, _, prefix in
        await ids { try await EndedTransfers(of: $0).latest(of: "person") }.filter { $0.hasPrefix(prefix) }
    }

    /// Returns the IDs of a running daemon's transfers. Returns an empty list if no daemon is running, because pressing
    /// Tab must not start a daemon.
    private static func ids(_ list: (BusClient) async throws -> [TransferStatus]) async -> [String] {
        await DaemonConnection.ifRunning(bus: nil) { try await list($0).map { "\($0.id)" } } ?? []
    }
}
