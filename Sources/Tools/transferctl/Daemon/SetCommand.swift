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
        abstract: "Change the conditions, priority, or URL of a transfer.",
        discussion: """
            Keys: kind (userInitiated, normal, discretionary), and the options of 'transferctl add': priority, when, \
            not-before, by, window, metered, patience. Other settings stay unchanged, and the value none removes a \
            setting: by=none. Prints the new settings to standard error. Example: \
            transferctl set 7 priority=high by=+6h window=none

            url=URL gives a download a fresh link in place of an expired or wrong one. The received bytes are kept if the \
            server has the same file, by its size and its ETag or Last-Modified; otherwise the download starts over, and \
            'transferctl history ID' says so. Another server gets none of the transfer's header fields, cookies, and \
            passwords; a user and password in URL are sent. A failed download is submitted again as a new transfer, whose ID \
            is printed.
            """)

    @Argument(help: ArgumentHelp("The ID of the transfer.", valueName: "id"), completion: TransferIDs.completion)
    var id: Int64

    @Argument(help: ArgumentHelp("The settings to change.", valueName: "key=value"))
    var changes: [String]

    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        var id = TransferID(id)
        let request = try Self.request(changes, now: try AdapterFactory.alarm().now().wall)
        let isEnded = request.url == nil ? false : try await client.show(id).status.state.isEnded
        var rest = request
        if isEnded, let url = request.url {
            id = try await EndedTransfers(of: client).retry(id, from: url)
            Console.print("\(id)")
            rest.url = nil
        }
        if rest != ChangeRequest() { try await client.change(id, rest) }
        let details = try await client.show(id)
        let source = request.url == nil ? "" : "from \(details.status.url); "
        Console.error("Changed \(id): \(source)\(TransferCard.summary(of: details))".printable)
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
            case "url": request.url = pair[1]
            case let key where options.contains(key): arguments += ["--\(key)=\(pair[1])"]
            default:
                let suggestion = Suggestion.text(for: pair[0], in: ["kind", "url"] + options)
                throw UsageError(
                    "unknown key '\(pair[0])'"
                        + (suggestion.isEmpty
                            ? "; use one of kind, url, \(options.joined(separator: ", "))" : suggestion))
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
