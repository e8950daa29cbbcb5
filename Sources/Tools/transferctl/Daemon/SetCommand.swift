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
        abstract: "Change what a transfer of the daemon asks for, whether it waits or runs.",
        discussion: """
            Keys: kind (userInitiated, normal, discretionary), and as the options of 'transferctl add': priority, when, \
            not-before, by, window, metered. What is not named stays as it is. Example: transferctl set 7 priority=high \
            by=+6h
            """)

    @Argument(help: ArgumentHelp("The transfer's number.", valueName: "id"), completion: TransferIDs.completion)
    var id: Int64

    @Argument(help: ArgumentHelp("What is to be different.", valueName: "key=value"))
    var changes: [String]

    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        try await client.change(TransferID(id), try Self.request(changes, now: try Parts.alarm().now().wall))
    }

    private static let options = ["priority", "when", "not-before", "by", "window", "metered"]

    /// Returns the change that the arguments describe.
    ///
    /// - Throws: `UsageError` that names the key and what to write instead.
    static func request(_ changes: [String], now: WallTime) throws -> ChangeRequest {
        var request = ChangeRequest()
        var arguments: [String] = []
        for change in changes {
            let parts = change.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else { throw UsageError("'\(change)' must be key=value") }
            switch parts[0] {
            case "kind":
                guard let kind = WorkKind(rawValue: parts[1]) else {
                    let known = WorkKind.allCases.map(\.rawValue).joined(separator: ", ")
                    throw UsageError("kind '\(parts[1])' must be one of \(known)")
                }
                request.kind = kind
            case let key where options.contains(key): arguments += ["--\(key)=\(parts[1])"]
            default:
                throw UsageError("there is no key '\(parts[0])'; known are kind, \(options.joined(separator: ", "))")
            }
        }
        let timing: TimingOptions
        do { timing = try TimingOptions.parse(arguments) } catch {
            throw UsageError("\(TimingOptions.message(for: error)) (as 'transferctl add' takes it)")
        }
        if timing.priority != nil {
            request.priority = try SpecificationBuilder.priority(timing.priority)
        }
        request.constraints = ConstraintChange(try SpecificationBuilder.constraints(timing, now: now))
        return request
    }
}
