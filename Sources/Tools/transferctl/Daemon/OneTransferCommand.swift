// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import ToolSupport
import TransferBusClient
import TransferBusProtocol
import TransferEngine
import TransferModel

/// A command that requests information about one transfer and prints the response as text or JSON.
protocol OneTransferCommand: DaemonCommand {
    associatedtype Response: VariantCoded, Sendable
    var reference: TransferReference { get }

    /// Returns the daemon's response.
    func fetch(_ service: some SharedTransferService, _ id: TransferID) async throws -> Response
    /// Prints the response as text.
    func printText(_ response: Response)
}

/// The ID of the transfer, and the format of the output.
struct TransferReference: ParsableArguments {
    @Argument(help: ArgumentHelp("The ID of the transfer.", valueName: "id"), completion: TransferIDs.completion)
    var id: Int64

    @Flag(help: "Write JSON.")
    var json = false
}

extension OneTransferCommand {
    func run(with client: BusClient) async throws {
        let response = try await fetch(client, TransferID(reference.id))
        if reference.json { JSONLine.print(response.fields.mapValues(\.json)) } else { printText(response) }
    }
}
