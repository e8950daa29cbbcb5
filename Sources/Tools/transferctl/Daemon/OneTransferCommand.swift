// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import GLibBridge
import ToolSupport
import TransferBusClient
import TransferBusProtocol

/// A command that asks the daemon one question about one transfer, and writes the answer for people or as JSON.
protocol OneTransferCommand: DaemonCommand {
    /// The method of the bus that answers.
    static var method: String { get }
    var question: OneTransferOptions { get }

    /// Writes the answer for people.
    func tell(_ fields: [String: VariantValue])
}

/// Which transfer, and in what form.
struct OneTransferOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("The transfer's number.", valueName: "id"), completion: TransferIDs.completion)
    var id: Int64

    @Flag(help: "Write JSON.")
    var json = false
}

extension OneTransferCommand {
    func run(with client: BusClient) async throws {
        let answer = try await client.call(Self.method, [.integer(question.id)], type: "(x)")
        let fields = answer.first?.dictionary ?? [:]
        if question.json { JSONLine.print(fields.mapValues(\.json)) } else { tell(fields) }
    }
}
