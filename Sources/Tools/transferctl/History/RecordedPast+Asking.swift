// SPDX-License-Identifier: Apache-2.0
import LinuxClock
import PolicyLab
import ToolSupport
import TransferEngine
import TransferModel
import TransferPolicy

/// Asking the daemon for the past, and what of it the lab needs.
extension RecordedPast {
    /// What was recorded in a span of time until now: all of its pages.
    ///
    /// - Throws: `UsageError` where the span makes no sense, or what the call throws.
    static func ask(_ service: some SharedTransferService, since: String) async throws -> RecordedPast {
        let now = try Parts.alarm().now().wall
        let start = now.advanced(by: .seconds(-(try TimeSpan(since, option: "since").seconds)))
        var page = try await service.history(since: start, from: nil)
        var all = page
        (all.next, all.conditions) = (nil, page.conditions ?? [])
        while let next = page.next {
            page = try await service.history(since: start, from: next)
            all.transfers += page.transfers
            all.conditions? += page.conditions ?? []
        }
        return RecordedPast(all, now: now)
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
