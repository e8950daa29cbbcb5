// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import ToolSupport
import TransferBusClient
import TransferBusProtocol
import TransferEngine
import TransferModel

/// A command that asks the daemon a question about one transfer and prints the answer as text or JSON.
protocol OneTransferCommand: DaemonCommand {
    associatedtype Answer: VariantCoded, Sendable
    var question: OneTransferOptions { get }

    /// Returns the daemon's answer.
    func ask(_ service: some SharedTransferService, _ id: TransferID) async throws -> Answer
    /// Prints the answer as text.
    func tell(_ answer: Answer)
}

/// The transfer that the question is about, and the form of the output.
struct OneTransferOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("The transfer's number.", valueName: "id"), completion: TransferIDs.completion)
    var id: Int64

    @Flag(help: "Write JSON.")
    var json = false
}

extension OneTransferCommand {
    func run(with client: BusClient) async throws {
        let answer = try await ask(client, TransferID(question.id))
        if question.json { JSONLine.print(answer.fields.mapValues(\.json)) } else { tell(answer) }
    }
}
