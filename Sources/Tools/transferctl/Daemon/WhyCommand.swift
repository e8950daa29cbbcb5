// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import ToolSupport
import TransferBusClient
import TransferBusProtocol
import TransferEngine
import TransferModel

/// The `transferctl why` command, which explains why a transfer waits.
struct WhyCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract:
            "Explain why a transfer or a command waits: all reasons, and the changes that would start it.",
        discussion: """
            Without an ID, each reason is printed once, followed by the transfers that wait for it. A command of \
            'transferctl run' has an ID such as c1. If nothing blocks the transfer, its state is printed. \
            Waiting times are m:ss, h:mm:ss, or days and hours.
            """)

    @Argument(
        help: ArgumentHelp("The ID of the transfer (default: all that wait).", valueName: "id"),
        completion: TransferIDs.completion)
    var id: WorkReference?

    @Flag(help: "Write JSON.")
    var json = false

    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        guard let id else { return try await explainAll(client) }
        let explanation =
            switch id {
            case .command(let number): try await CommandClient(client).command(number).explanation
            case .transfer(let id): try await client.explain(id)
            }
        if json { return JSONLine.print(explanation.fields.mapValues(\.json)) }
        Console.print(explanation.sentence.printable)
        if case .transfer(let id) = id, explanation.reasons.isEmpty, try await client.show(id).status.hasBrokenLink {
            Console.print("With a fresh link, 'transferctl set \(id) url=URL' continues it.")
        }
        for line in explanation.waitLines { Console.print(line) }
    }

    private func explainAll(_ client: BusClient) async throws {
        let transfers = try await client.explainedList(TransferFilter()).filter { $0.state != .running }
        let commands = try await CommandClient(client).listIfAllowed().filter { !$0.explanation.reasons.isEmpty }
        let groups = WaitGroup.groups(
            of: transfers.map { ($0.sentence ?? $0.state.displayName, "\($0.id)", $0.name) }
                + commands.map { ($0.explanation.sentence, $0.reference, $0.name) })
        if json {
            return JSONLine.print(["waiting": groups.map { ["sentence": $0.sentence, "ids": $0.items.map(\.id)] }])
        }
        guard !groups.isEmpty else { return Console.error("Nothing waits.") }
        for line in groups.flatMap(\.lines) { Console.print(line.printable) }
    }

    /// Converts a reason's code to words: `onBattery` becomes `on battery`.
    static func words(_ code: String) -> String {
        switch code {
        case "userInitiated": return "user-initiated"
        case "suspended": return "paused"
        case "settling": return "stable power or network"
        case "waitingForSlot": return "other transfers"
        default: break
        }
        return code.reduce(into: "") { text, letter in
            if letter.isUppercase { text += " " }
            text += letter.lowercased()
        }
    }
}

extension TransferStatus {
    /// A Boolean value that indicates whether the server no longer gives the file at the URL.
    fileprivate var hasBrokenLink: Bool {
        state == .failed && !isUpload && [401, 403, 404, 410].contains(status)
    }
}

extension WaitExplanation {
    /// The times waited so far by reason, and the time of the next check, as far as they are known.
    var waitLines: [String] {
        let waited = (waited ?? []).map { "\(WhyCommand.words($0.code)) \(Formatting.span($0.seconds))" }
        return (waited.isEmpty ? [] : ["waited so far: " + waited.joined(separator: ", ")])
            + (until.map { ["next check by \(WatchConditions.time($0))"] } ?? [])
    }
}

/// Work that waits for the same reason.
struct WaitGroup {
    /// The number of transfers that a group names. The others are counted.
    private static let limit = 20

    let sentence: String
    var items: [(id: String, name: String)] = []

    /// Returns the groups in the order of their first items.
    static func groups(of waiting: [(sentence: String, id: String, name: String)]) -> [WaitGroup] {
        var (groups, indices): ([WaitGroup], [String: Int]) = ([], [:])
        for (sentence, id, name) in waiting {
            let index = indices[sentence] ?? groups.count
            if index == groups.count { groups.append(WaitGroup(sentence: sentence)) }
            indices[sentence] = index
            groups[index].items.append((id, name))
        }
        return groups
    }

    /// The reason, followed by a line for each item.
    var lines: [String] {
        let rest = items.count - Self.limit
        return [sentence] + items.prefix(Self.limit).map { "  \($0.id)  \($0.name)" }
            + (rest > 0 ? ["  and \(rest) more: 'transferctl list --each' shows all"] : [])
    }
}
