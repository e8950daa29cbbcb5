// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import LinuxClock
import ToolSupport
import TransferBusClient
import TransferEngine
import TransferModel

/// The `transferctl set` command, which changes the requirements of a transfer.
struct SetCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Change the conditions and priority of an unfinished transfer.",
        discussion: """
            Keys: kind (userInitiated, normal, discretionary), and the options of 'transferctl add': priority, when, \
            not-before, by, window, metered, patience. Other settings stay unchanged, and the value none removes a \
            setting: by=none. Prints the new settings to standard error. Example: \
            transferctl set 7 priority=high by=+6h window=none
            """)

    @Argument(help: ArgumentHelp("The ID of the transfer.", valueName: "id"), completion: TransferIDs.completion)
    var id: Int64

    @Argument(help: ArgumentHelp("The settings to change.", valueName: "key=value"))
    var changes: [String]

    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        let id = TransferID(id)
        try await client.change(id, try Self.request(changes, now: try AdapterFactory.alarm().now().wall))
        Console.error("Changed \(id): \(TransferCard.summary(of: try await client.show(id)))".printable)
    }

    private static let options = ["priority", "when", "not-before", "by", "window", "metered", "patience"]

    /// Returns the change that the arguments describe.
    ///
    /// - Throws: `UsageError` that names the key and its permitted values.
    static func request(_ changes: [String], now: WallTime) throws -> ChangeRequest {
        var request = ChangeRequest()
        var arguments: [String] = []
        var removed: [ConstraintChange.Removable] = []
        for change in changes {
            let pair = change.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard pair.count == 2 else {
                throw UsageError("not a valid setting: '\(change)'; use KEY=VALUE, for example priority=high")
            }
            switch pair[0] {
            case let key where pair[1] == "none" && options.contains(key):
                if key == "priority" { request.priority = try SpecificationBuilder.priority(nil) }
                removed += Self.constraints(of: key)
            case "kind":
                guard let kind = WorkKind(rawValue: pair[1]) else {
                    let known = WorkKind.allCases.map(\.rawValue).joined(separator: ", ")
                    throw UsageError("unknown kind '\(pair[1])'; use one of \(known)")
                }
                request.kind = kind
            case let key where options.contains(key): arguments += ["--\(key)=\(pair[1])"]
            default:
                let suggestion = Suggestion.text(for: pair[0], in: ["kind"] + options)
                throw UsageError(
                    "unknown key '\(pair[0])'"
                        + (suggestion.isEmpty ? "; use one of kind, \(options.joined(separator: ", "))" : suggestion))
            }
        }
        let timing: TimingOptions
        do { timing = try TimingOptions.parse(arguments) } catch {
            throw UsageError("\(TimingOptions.message(for: error)) (the values are the same as for 'transferctl add')")
        }
        if timing.priority != nil {
            request.priority = try SpecificationBuilder.priority(timing.priority)
        }
        request.constraints = ConstraintChange(try SpecificationBuilder.constraints(timing.conditions, now: now))
        if !removed.isEmpty { request.constraints.removed = removed }
        return request
    }

    /// Returns the constraints that an option sets.
    private static func constraints(of option: String) -> [ConstraintChange.Removable] {
        switch option {
        case "when": [.power, .linkKinds, .metered, .priceBelow, .custom]
        case "metered": [.metered]
        case "not-before": [.notBefore]
        case "by": [.deadline]
        case "window": [.windows]
        case "patience": [.patience]
        default: []  // A priority is no constraint.
        }
    }
}
