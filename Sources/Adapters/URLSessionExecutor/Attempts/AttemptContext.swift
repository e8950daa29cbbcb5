// SPDX-License-Identifier: Apache-2.0
import Synchronization
internal import TransferEngine
internal import TransferModel

/// The order that an attempt carries out, and the side of the attempt that every thread may reach.
final class AttemptContext: Sendable {
    let job: TransferJob
    let environment: ExecutorEnvironment
    let files: any AttemptFiles
    let report: @Sendable (ExecutorReport) -> Void
    /// Called before the report of the end.
    let onEnd: @Sendable () -> Void
    private let stopping = Atomic(false)
    private let live = Mutex<[Exchange]>([])

    /// - Parameter files: who looks after the files; nil works on the paths in this process.
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

    /// Whether a stop was asked for: long work sees it before its turn comes.
    var isStopping: Bool { stopping.load(ordering: .acquiring) }

    /// Notes that a stop was asked for; true the first time.
    func noteStop() -> Bool { !stopping.exchange(true, ordering: .acquiringAndReleasing) }

    /// The requests under way, for whoever cancels them from another thread.
    var liveExchanges: [Exchange] {
        get { live.withLock { $0 } }
        set { live.withLock { $0 = newValue } }
    }
}
