// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import LinuxClock
import PolicyLab
import ToolSupport
import TransferBusClient
import TransferBusProtocol
import TransferModel
import TransferPolicy

/// Asking the daemon for the past, and what of it the lab needs.
extension RecordedPast {
    /// What was recorded in a span of time until now, also as the bus has it: all of its pages.
    ///
    /// - Throws: `UsageError` where the span makes no sense, or what the call throws.
    static func ask(
        _ client: BusClient, since: String
    ) async throws -> (past: RecordedPast, fields: [String: VariantValue]) {
        let now = try Parts.alarm().now().wall
        let span = try TimeSpan(since, option: "since").seconds
        let start = BusDate(now.advanced(by: .seconds(-span)))
        let since = VariantValue.string(start.description)
        var (transfers, conditions): ([VariantValue], [VariantValue]) = ([], [])
        var answer = try await client.call("History", [since], type: "(s)")
        while let page = answer.first?.dictionary {
            transfers += page["transfers"]?.items ?? []
            conditions += page["conditions"]?.items ?? []
            guard let next = page["next"] else { break }
            answer = try await client.call("HistoryFrom", [since, next], type: "(ss)")
        }
        let fields: [String: VariantValue] = ["transfers": .list(transfers), "conditions": .list(conditions)]
        return (RecordedPast(fields, now: now), fields)
    }

    /// What the machine was like; throws `UsageError` where nothing is known of that.
    func neededTrace(since: String) throws(UsageError) -> Trace {
        guard let trace else { throw UsageError("nothing was recorded in the last \(since)") }
        return trace
    }

    /// What was transferred; throws `UsageError` where nothing was.
    func neededWorkload(since: String) throws(UsageError) -> Workload {
        guard let workload else {
            throw UsageError("no transfer whose size is known was recorded in the last \(since)")
        }
        return workload
    }
}
