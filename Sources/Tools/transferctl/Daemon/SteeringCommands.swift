// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import ToolSupport
import TransferBusClient
import TransferEngine
import TransferModel

/// The transfers that a command acts on.
struct TransferChoice: ParsableArguments {
    @Argument(help: ArgumentHelp("The transfers' numbers.", valueName: "id"), completion: TransferIDs.completion)
    var ids: [Int64] = []

    @Flag(help: "All that are not over.")
    var all = false

    @Option(help: .init("All of this session that are not over.", valueName: "name"))
    var session: String?

    /// Whether no transfers were chosen.
    var isEmpty: Bool { ids.isEmpty && !all && session == nil }

    /// Returns the numbers of the chosen transfers.
    ///
    /// - Throws: `UsageError` unless exactly one way of choosing was used.
    func chosen(by client: BusClient) async throws -> [TransferID] {
        let ways = [!ids.isEmpty, all, session != nil].filter { $0 }.count
        guard ways == 1 else {
            throw UsageError(
                "name the transfers: their numbers, --all or --session NAME. 'transferctl list' shows them.")
        }
        if !ids.isEmpty { return ids.map(TransferID.init) }
        var filter = TransferFilter()
        filter.session = session
        return try await client.list(filter).map(\.id)
    }
}

/// A command that applies one action to transfers.
protocol SteeringCommand: DaemonCommand {
    static var action: ControlAction { get }
    var choice: TransferChoice { get }
}

extension SteeringCommand {
    func run(with client: BusClient) async throws { _ = try await steer(by: client) }

    /// Applies the action to the chosen transfers and returns their numbers.
    func steer(by client: BusClient) async throws -> [TransferID] {
        let ids = try await choice.chosen(by: client)
        guard !ids.isEmpty else { return [] }
        try await client.control(ids, Self.action)
        return ids
    }
}

/// The `transferctl pause` command, which pauses transfers and keeps their bytes.
struct PauseCommand: SteeringCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Stop transfers of the daemon, keeping their bytes, until they are resumed.")
    static var action: ControlAction { .pause }

    @OptionGroup var choice: TransferChoice
    @OptionGroup var daemon: DaemonOptions
}

/// The `transferctl resume` command, which resumes paused transfers and ends retry delays.
struct ResumeCommand: SteeringCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Let paused transfers go on; ends the wait after a failure, too.")
    static var action: ControlAction { .resume }

    @OptionGroup var choice: TransferChoice
    @OptionGroup var daemon: DaemonOptions
}

/// The `transferctl cancel` command, which ends transfers and removes their bytes.
struct CancelCommand: SteeringCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "End transfers and remove what there is of them.")
    static var action: ControlAction { .cancel }

    @OptionGroup var choice: TransferChoice
    @OptionGroup var daemon: DaemonOptions
}

/// The `transferctl now` command, which starts transfers without waiting for a policy.
struct NowCommand: SteeringCommand {
    static let configuration = CommandConfiguration(
        commandName: "now",
        abstract: "Start transfers now: they wait for no policy, only for what they ask for themselves.",
        discussion: "Of those that wait nevertheless, the first twenty are named on standard error, with the reason.")
    static var action: ControlAction { .startNow }

    @OptionGroup var choice: TransferChoice
    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        for id in try await steer(by: client).prefix(20) {
            let answer = try await client.explain(id)
            guard !answer.reasons.isEmpty else { continue }
            Console.error(
                "transferctl: \(id) still waits: \(answer.sentence); 'transferctl set \(id)' changes what it asks for"
                    .printable)
        }
    }
}

/// The `transferctl hold` command, which stops all transfers until `transferctl release`.
struct HoldCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "hold", abstract: "Stop all transfers of the daemon and start none until 'transferctl release'.")

    @Option(
        name: .customLong("for"), help: .init("End by itself after this time: 90s, 30m, 2h, 1d.", valueName: "time"))
    var time: String?

    @Option(help: .init("Why, to be shown with what waits.", valueName: "text"))
    var reason: String?

    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        let seconds = try time.map { try TimeSpan($0, option: "for").seconds }
        try await client.hold(HoldRequest(seconds: seconds, reason: reason ?? ""))
    }
}

/// The `transferctl release` command, which ends the hold of `transferctl hold`.
struct ReleaseCommand: DaemonCommand {
    static let configuration = CommandConfiguration(commandName: "release", abstract: "Take back 'transferctl hold'.")

    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws { try await client.hold(nil) }
}
