// SPDX-License-Identifier: Apache-2.0
import ToolSupport
import TransferBusClient
import TransferEngine
import TransferModel

/// Waits for transfers of the daemon's.
struct TransferWait {
    let client: BusClient

    /// Waits until all of them are over; what failed is told as it does.
    ///
    /// - Throws: `ExitCode` of 1 where one failed, `BusFault` where there is no such transfer.
    func untilOver(_ ids: Set<TransferID>) async throws {
        var left = ids
        var anyFailed = false
        var renderer = FailureRenderer()
        func take(_ status: TransferStatus) {
            guard status.state.isOver, left.remove(status.id) != nil else { return }
            renderer.show(status, nil)
            anyFailed = anyFailed || status.state != .finished
        }
        // Watched first, asked second: no end falls between.
        let changes = try await client.changes()
        for id in ids.sorted() {
            take(try await client.show(id).status)
        }
        if !left.isEmpty {
            for await status in changes {
                take(status)
                if left.isEmpty { break }
            }
        }
        guard left.isEmpty else { throw BusClientError.failed("it ended before the transfers did") }
        if anyFailed { throw ExitStatus.failed.code }
    }
}
