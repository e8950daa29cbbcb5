// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TransferEngine
import TransferModel
import TransferPolicy

/// An executor that violates its contract: it reports about any attempt at any time.
final class LateReports: TransferExecutor {
    private let reporters = Mutex<[@Sendable (ExecutorReport) -> Void]>([])

    func report(_ attempt: Int, _ report: ExecutorReport) { reporters.withLock { $0[attempt] }(report) }

    func start(_ job: TransferJob, reporting report: @escaping @Sendable (ExecutorReport) -> Void) {
        reporters.withLock { $0.append(report) }
    }
    func stop(_ id: TransferID) {}
    func discard(_ job: TransferJob) {}
    func availableSpace(for specification: TransferSpecification) -> Int64? { nil }
    func shutdown() async {}
}
