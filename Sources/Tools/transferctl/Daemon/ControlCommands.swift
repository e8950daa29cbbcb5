// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import LinuxClock
import ToolSupport
import TransferBusClient
import TransferBusProtocol
import TransferEngine
import TransferModel

/// The transfers that a command acts on.
struct TransferChoice: ParsableArguments {
    @Argument(help: ArgumentHelp("The IDs of the transfers.", valueName: "id"), completion: TransferIDs.completion)
    var ids: [WorkReference] = []

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
        if !ids.isEmpty { return try ids.map { try $0.transfer } }
        var filter = TransferFilter()
        filter.session = session
        return try await client.list(filter).map(\.id)
    }
}

/// A command that applies one action to transfers.
protocol ControlCommand: DaemonCommand {
    static var action: ControlAction { get }
    /// The past participle of the action, which begins the confirmation.
    static var participle: String { get }
    var choice: TransferChoice { get }
}

extension ControlCommand {
    func run(with client: BusClient) async throws { Self.confirm(try await applyAction(by: client)) }

    /// Prints what was done, in one line on standard error.
    static func confirm(_ ids: [TransferID]) { Console.error(confirmation(ids)) }

    /// Returns a sentence about what was done: `Paused 7.`, `Paused 12 transfers.`
    static func confirmation(_ ids: [TransferID]) -> String {
        guard !ids.isEmpty else { return "No unfinished transfers." }
        let some = ids.prefix(5).map(\.description).joined(separator: ", ")
        return "\(participle) \(ids.count > 5 ? "\(ids.count) transfers" : some)."
    }

    /// Applies the action to the chosen transfers.
    ///
    /// - Returns: The IDs of the transfers.
    func applyAction(by client: BusClient) async throws -> [TransferID] {
        var former: [TransferID] = []
        while true {
            let ids = try await choice.chosen(by: client)
            guard !ids.isEmpty else { return [] }
            do {
                try await client.control(ids, Self.action)
                return ids
            } catch let fault as BusFault
                where choice.ids.isEmpty && ids != former && [.noSuchTransfer, .transferEnded].contains(fault.code)
            {
                former = ids  // One of all transfers has ended since they were listed.
            }
        }
    }
}

/// The `transferctl pause` command, which pauses transfers and keeps their bytes.
struct PauseCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Pause transfers and keep their partial files.")
    static var action: ControlAction { .pause }
    static var participle: String { "Paused" }

    @OptionGroup var choice: TransferChoice
    @OptionGroup var daemon: DaemonOptions
}

/// The `transferctl resume` command, which resumes paused transfers, ends retry delays, and submits failed transfers
/// again.
struct ResumeCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Resume paused transfers, retry failed attempts immediately, and submit failed transfers again.",
        discussion: """
            A failed or canceled transfer is submitted again as a new one, whose ID is printed. A request with a query, \
            header fields, cookies, or a login cannot be repeated, because the daemon does not keep them after the end: use \
            'transferctl add' again, or give the query with 'transferctl set ID url=URL'. Received bytes are kept if the \
            server has the same file.
            """)
    static var action: ControlAction { .resume }
    static var participle: String { "Resumed" }

    @OptionGroup var choice: TransferChoice

    @Flag(help: "Select all failed transfers that were submitted from the command line.")
    var failed = false

    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        let transfers = EndedTransfers(of: client)
        guard !failed else {
            guard choice.isEmpty else { throw UsageError("--failed excludes IDs, --all, and --session; use one way") }
            return try await Self.retryFailed(transfers)
        }
        var ended: [TransferID] = []
        for case .transfer(let id) in choice.ids {
            if try await client.show(id).status.state.isEnded { ended.append(id) }
        }
        for id in try await transfers.retry(ended) { Console.print("\(id)") }
        var rest = self
        rest.choice.ids.removeAll { reference in ended.contains { .transfer($0) == reference } }
        guard ended.isEmpty || !rest.choice.ids.isEmpty else { return }
        let resumed = try await rest.applyAction(by: client)
        Self.confirm(resumed)
        if resumed.isEmpty { Console.error("'transferctl resume --failed' submits failed transfers again.") }
    }

    private static func retryFailed(_ transfers: EndedTransfers) async throws {
        let failed = try await transfers.latest(of: "person").filter { $0.state == .failed }
        for status in failed {
            // One by one, because one that cannot be retried must not prevent the others.
            do {
                for id in try await transfers.retry([status.id]) { Console.print("\(id)") }
            } catch {
                Console.error("transferctl: \(error)")
            }
        }
        if failed.isEmpty { Console.error("No failed transfers.") }
    }
}

/// The `transferctl cancel` command, which ends transfers and removes their bytes.
struct CancelCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Cancel transfers and delete partial files.")
    static var action: ControlAction { .cancel }
    static var participle: String { "Canceled" }

    @OptionGroup var choice: TransferChoice
    @OptionGroup var daemon: DaemonOptions
}

/// The `transferctl now` command, which starts transfers without waiting for a policy.
struct NowCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "now",
        abstract: "Start transfers and commands without waiting for the policy. Their own conditions still apply.",
        discussion: """
            A command of 'transferctl run' has an ID such as c1.

            A delayed task of an app's session does not wait for its date: the app is asked immediately whether the task \
            may begin. Prints the transfers that start, and the first twenty that still wait with their reasons, to standard \
            error. --anyway also removes the transfers' own conditions; the deadline stays.
            """)
    static var action: ControlAction { .startNow }
    static var participle: String { "Started" }

    @OptionGroup var choice: TransferChoice

    @Flag(help: "Also remove the transfers' own conditions: --when, --not-before, and --window; any network will do.")
    var anyway = false

    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        let commands = choice.ids.compactMap(\.command)
        for number in commands { try await CommandClient(client).start(number, isUnconditional: anyway) }
        if !commands.isEmpty, commands.count == choice.ids.count { return }
        var rest = self
        rest.choice.ids.removeAll { $0.command != nil }
        try await rest.startTransfers(client)
    }

    private func startTransfers(_ client: BusClient) async throws {
        if anyway {
            for id in try await choice.chosen(by: client) { try await client.change(id, Self.removal) }
        }
        let ids = try await applyAction(by: client)
        var waiting: Set<TransferID> = []
        for id in ids.prefix(20) {
            let explanation = try await client.explain(id)
            guard !explanation.reasons.isEmpty else { continue }
            waiting.insert(id)
            Console.error("\(id) still waits: \(explanation.sentence)\(Self.hint(explanation, id))".printable)
        }
        let started = ids.filter { !waiting.contains($0) }
        if ids.isEmpty || !started.isEmpty { Self.confirm(started) }
    }

    /// The change that removes all conditions of a transfer except its deadline.
    private static var removal: ChangeRequest {
        var request = ChangeRequest()
        request.constraints.removed = [.power, .linkKinds, .notBefore, .windows]
        request.constraints.metered = .allowed
        return request
    }

    /// The codes of the reasons that `--anyway` removes.
    private static let ownReasons: Set = [
        "notBefore", "outsideWindow", "windowTooShort", "onBattery", "batteryLow", "powerUnknown", "networkKind",
        "metered", "price", "priceUnknown",
    ]

    /// Returns the way to start a transfer in spite of its own conditions, or an empty string if nothing else helps.
    private static func hint(_ explanation: WaitExplanation, _ id: TransferID) -> String {
        let isOwn = explanation.reasons.contains { ownReasons.contains($0.code) }
        return isOwn ? "; 'transferctl now \(id) --anyway' starts it in spite of its conditions" : ""
    }
}

/// The `transferctl hold` command, which stops all transfers until `transferctl release`.
struct HoldCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "hold", abstract: "Put all transfers on hold until 'transferctl release'.",
        discussion:
            "Transfers of 'get' and 'put' that wait for conditions are held too; those that start at once are not.")

    @Option(
        name: .customLong("for"),
        help: .init("Release automatically after this time: 90s, 30m, 2h, 1d.", valueName: "duration"))
    var time: String?

    @Option(
        help: .init("Release automatically at this time: 18:00, 6pm, tonight, \"tomorrow 8:00\".", valueName: "time"))
    var until: String?

    @Option(help: .init("The reason, which is shown with waiting transfers.", valueName: "text"))
    var reason: String?

    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        guard time == nil || until == nil else {
            throw UsageError("--for and --until exclude each other; use one of them")
        }
        let now = try AdapterFactory.alarm().now().wall
        let end = try until.map { try TimeExpression($0, option: "until", now: now).date }
        let seconds =
            try time.map { try TimeSpan($0, option: "for").seconds }
            ?? end.map { max(1, (now.duration(to: $0) + .milliseconds(999)).components.seconds) }
        try await client.hold(HoldRequest(seconds: seconds, reason: reason ?? ""))
        let hold = try await client.status().held ?? HoldStatus()
        let why = hold.reason.flatMap { $0.isEmpty ? nil : ": \($0)" } ?? ""
        Console.error("All transfers are on hold \(WatchConditions.end(of: hold))\(why).".printable)
    }
}

/// The `transferctl release` command, which ends the hold of `transferctl hold`.
struct ReleaseCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "release", abstract: "End the hold of 'transferctl hold'.")

    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        let wasHeld = try await client.status().held?.reason != nil
        try await client.hold(nil)
        Console.error(wasHeld ? "Released all transfers." : "There was no hold.")
    }
}
