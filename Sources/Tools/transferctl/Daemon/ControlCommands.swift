// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import ToolSupport
import TransferBusClient
import TransferEngine
import TransferModel

/// The transfers that a command acts on.
struct TransferChoice: ParsableArguments {
    @Argument(help: ArgumentHelp("The IDs of the transfers.", valueName: "id"), completion: TransferIDs.completion)
    var ids: [Int64] = []

    @Flag(help: "Select all unfinished transfers.")
    var all = false

    @Option(help: .init("Select all unfinished transfers of this session.", valueName: "name"))
    var session: String?

    /// A Boolean value that indicates whether no transfers were chosen.
    var isEmpty: Bool { ids.isEmpty && !all && session == nil }

    /// Returns the IDs of the chosen transfers.
    ///
    /// - Throws: `UsageError` unless exactly one way of choosing was used.
    func chosen(by client: BusClient) async throws -> [TransferID] {
        let ways = [!ids.isEmpty, all, session != nil].filter { $0 }.count
        guard ways == 1 else {
            throw UsageError(
                "select transfers in one way: IDs, --all, or --session NAME; 'transferctl list' shows them")
        }
        if !ids.isEmpty { return ids.map(TransferID.init) }
        var filter = TransferFilter()
        filter.session = session
        return try await client.list(filter).map(\.id)
    }
}

/// A command that applies one action to transfers.
protocol ControlCommand: DaemonCommand {
    static var action: ControlAction { get }
    var choice: TransferChoice { get }
}

extension ControlCommand {
    func run(with client: BusClient) async throws { _ = try await applyAction(by: client) }

    /// Applies the action to the chosen transfers.
    ///
    /// - Returns: The IDs of the transfers.
    func applyAction(by client: BusClient) async throws -> [TransferID] {
        let ids = try await choice.chosen(by: client)
        guard !ids.isEmpty else { return [] }
        try await client.control(ids, Self.action)
        return ids
    }
}

/// The `transferctl pause` command, which pauses transfers and keeps their bytes.
struct PauseCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Pause transfers and keep their partial files.")
    static var action: ControlAction { .pause }

    @OptionGroup var choice: TransferChoice
    @OptionGroup var daemon: DaemonOptions
}

/// The `transferctl resume` command, which resumes paused transfers and ends retry delays.
struct ResumeCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Resume paused transfers, and retry failed attempts immediately.")
    static var action: ControlAction { .resume }

    @OptionGroup var choice: TransferChoice
    @OptionGroup var daemon: DaemonOptions
}

/// The `transferctl cancel` command, which ends transfers and removes their bytes.
struct CancelCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Cancel transfers and delete partial files.")
    static var action: ControlAction { .cancel }

    @OptionGroup var choice: TransferChoice
    @OptionGroup var daemon: DaemonOptions
}

/// The `transferctl now` command, which starts transfers without waiting for a policy.
struct NowCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "now",
        abstract: "Start transfers without waiting for the policy. The transfers' own conditions still apply.",
        discussion: """
            A delayed task of an app's session does not wait for its date: the app is asked immediately whether the task \
            may begin. Prints the first twenty transfers that still wait, with the reasons, to standard error.
            """)
    static var action: ControlAction { .startNow }

    @OptionGroup var choice: TransferChoice
    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        for id in try await applyAction(by: client).prefix(20) {
            let explanation = try await client.explain(id)
            guard !explanation.reasons.isEmpty else { continue }
            Console.error(
                "transferctl: \(id) still waits: \(explanation.sentence); 'transferctl set \(id) KEY=VALUE' changes its conditions"
                    .printable)
        }
    }
}

/// The `transferctl hold` command, which stops all transfers until `transferctl release`.
struct HoldCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "hold", abstract: "Put all transfers of the daemon on hold until 'transferctl release'.")

    @Option(
        name: .customLong("for"),
        help: .init("Release automatically after this time: 90s, 30m, 2h, 1d.", valueName: "duration"))
    var time: String?

    @Option(help: .init("The reason, which is shown with waiting transfers.", valueName: "text"))
    var reason: String?

    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        let seconds = try time.map { try TimeSpan($0, option: "for").seconds }
        try await client.hold(HoldRequest(seconds: seconds, reason: reason ?? ""))
    }
}

/// The `transferctl release` command, which ends the hold of `transferctl hold`.
struct ReleaseCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "release", abstract: "End the hold of 'transferctl hold'.")

    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws { try await client.hold(nil) }
}
