// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import GLibBridge
import TransferBusClient
import TransferBusProtocol
import TransferEngine
import TransferModel

/// Shell completion of transfer numbers.
enum TransferIDs {
    /// A completion of the numbers of unfinished transfers.
    static let completion = CompletionKind.custom { _, _, prefix in await open().filter { $0.hasPrefix(prefix) } }

    /// Returns the numbers that a running daemon has. A Tab neither starts a daemon nor reports that there is none.
    private static func open() async -> [String] {
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
