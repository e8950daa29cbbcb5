// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import GLibBridge
import TransferBusClient
import TransferBusProtocol
import TransferEngine
import TransferModel

/// Shell completion of transfer IDs.
enum TransferIDs {
    /// A completion of the IDs of unfinished transfers.
    static let completion = CompletionKind.custom { _, _, prefix in await unfinished().filter { $0.hasPrefix(prefix) } }

    /// Returns the IDs of a running daemon's unfinished transfers. Returns an empty list if no daemon is running,
    /// because pressing Tab must not start a daemon.
    private static func unfinished() async -> [String] {
        guard let address = BusConnection.sessionBusAddress() else { return [] }
        let client = BusClient()
        var ids: [String] = []
        if (try? await client.connect(address: address)) != nil, (try? await client.daemonProcess()) ?? nil != nil {
            ids = ((try? await client.list(TransferFilter())) ?? []).map { "\($0.id)" }
        }
        await client.close()
        return ids
    }
}
