// SPDX-License-Identifier: Apache-2.0
import LinuxClock
import PolicyLab
import ToolSupport
import TransferEngine
import TransferModel
import TransferPolicy

/// Requests to the daemon, and conversions for `transferlab`.
extension RecordedHistory {
    /// Returns everything recorded since a span of time ago, from all pages.
    ///
    /// - Throws: `UsageError` if the span is invalid, or the error of the call.
    static func fetch(_ service: some SharedTransferManager, since: String) async throws -> RecordedHistory {
        let now = try AdapterFactory.alarm().now().wall
        let start = now.advanced(by: .seconds(-(try TimeSpan(since, option: "since").seconds)))
        var page = try await service.history(since: start, from: nil)
        var all = page
        (all.next, all.conditions) = (nil, page.conditions ?? [])
        while let next = page.next {
            page = try await service.history(since: start, from: next)
            all.transfers += page.transfers
            all.conditions? += page.conditions ?? []
        }
        return RecordedHistory(all, now: now)
    }

    /// Returns the recorded conditions. Throws `UsageError` if nothing was recorded.
    func requiredTrace(since: String) throws(UsageError) -> Trace {
        guard let trace else { throw UsageError("nothing was recorded in the last \(since)") }
        return trace
    }

    /// Returns the recorded transfers. Throws `UsageError` if none has a known size.
    func requiredWorkload(since: String) throws(UsageError) -> Workload {
        guard let workload else {
            throw UsageError("no transfer whose size is known was recorded in the last \(since)")
        }
        return workload
    }
}
