// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import GLibBridge
import TransferBusClient
import TransferBusProtocol
import TransferEngine
import TransferModel

/// The numbers of transfers, for the shell to complete.
enum TransferIDs {
    /// Completes the numbers of what is not over.
    static let completion = CompletionKind.custom { _, _, prefix in await open().filter { $0.hasPrefix(prefix) } }

    /// What a running daemon has; a Tab starts none, and says nothing where there is none.
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
