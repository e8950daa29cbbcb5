// SPDX-License-Identifier: Apache-2.0
import Synchronization
internal import TransferEngine
internal import TransferModel

/// The job of an attempt, and the part of the attempt's state that every thread may use.
final class AttemptContext: Sendable {
    let job: TransferJob
    let environment: ExecutorEnvironment
    let files: any AttemptFiles
    let report: @Sendable (ExecutorReport) -> Void
    /// A closure that is called before the end is reported.
    let onEnd: @Sendable () -> Void
    private let stopping = Atomic(false)
    private let live = Mutex<[Exchange]>([])

    /// Creates the context of an attempt.
    ///
    /// - Parameters:
    ///   - job: The transfer to attempt.
    ///   - environment: The state that all attempts of the executor share.
    ///   - files: The manager of the attempt's files. If `nil`, the attempt opens the paths in this process.
    ///   - onEnd: A closure that is called before the end is reported.
    ///   - report: A closure that receives the attempt's reports.
    init(
        job: TransferJob, environment: ExecutorEnvironment, files: (any AttemptFiles)? = nil,
        onEnd: @escaping @Sendable () -> Void = {}, report: @escaping @Sendable (ExecutorReport) -> Void
    ) {
        self.job = job
        self.environment = environment
        self.files =
            files ?? LocalFiles(job: job, configuration: environment.configuration, calls: environment.fileCalls)
        self.onEnd = onEnd
        self.report = report
    }

    /// A Boolean value that indicates whether a stop was requested. Long-running work checks this value before the
    /// stop itself is processed.
    var isStopping: Bool { stopping.load(ordering: .acquiring) }

    /// Records that a stop was requested. Returns `true` for the first request.
    func requestStop() -> Bool { !stopping.exchange(true, ordering: .acquiringAndReleasing) }

    /// The requests in progress. Other threads use this list to cancel them.
    var liveExchanges: [Exchange] {
        get { live.withLock { $0 } }
        set { live.withLock { $0 = newValue } }
    }
}
