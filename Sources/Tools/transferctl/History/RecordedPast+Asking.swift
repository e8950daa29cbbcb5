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
    /// What was recorded in a span of time until now, also as the bus has it.
    ///
    /// - Throws: `UsageError` where the span makes no sense, or what the call throws.
    static func ask(
        _ client: BusClient, since: String
    ) async throws -> (past: RecordedPast, fields: [String: VariantValue]) {
        let now = try Parts.alarm().now().wall
        let span = try TimeSpan(since, option: "since").seconds
        let start = BusDate(now.advanced(by: .seconds(-span)))
        let answer = try await client.call("History", [.string(start.description)], type: "(s)")
        let fields = answer.first?.dictionary ?? [:]
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
