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
    func fetch(_ service: some SharedTransferManager, _ id: TransferID) async throws -> Response
    /// Prints the response as text.
    func printText(_ response: Response)
}

/// The ID of the transfer, and the format of the output.
struct TransferReference: ParsableArguments {
    @Argument(help: ArgumentHelp("The ID of the transfer.", valueName: "id"), completion: TransferIDs.completion)
    var id: WorkReference

    @Flag(help: "Write JSON.")
    var json = false
}

extension OneTransferCommand {
    func run(with client: BusClient) async throws { print(try await fetch(client, reference.id.transfer)) }

    /// Prints a response in the requested format.
    func print(_ response: Response) {
        if reference.json { JSONLine.print(response.fields.mapValues(\.json)) } else { printText(response) }
    }
}
