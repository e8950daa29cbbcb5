// SPDX-License-Identifier: Apache-2.0
public import Logging
public import TransferEngine
public import TransferFiles

/// How worker processes are run.
public struct WorkerExecutorConfiguration: Sendable {
    /// What the executor in each worker works by.
    public var executor: URLSessionExecutorConfiguration
    /// The program that is run.
    public var program: WorkerProgram
    /// The most workers at once, 1 or more; those for transfers that may have ended others come on top.
    ///
    /// Default 1. One keeps some 100 MB/s and 4000 small files a second going; a further one takes a further core.
    public var workers = 1
    /// A further worker is started only when each has so many attempts.
    ///
    /// Default 8.
    public var attemptsPerWorker = 8
    /// Seconds after which a worker without attempts is let go.
    ///
    /// Default 60.
    public var idleSeconds = 60
    /// Seconds of silence after which a worker with attempts is asked whether it is alive, and again as many after
    /// which one that has not answered is ended.
    ///
    /// Default 60. A worker that only waits for the disk or keeps to a rate limit does answer.
    public var patienceSeconds = 60
    /// The group of transfers that a transfer may share a worker with; nil for the common one.
    ///
    /// A worker serves one group only, so that a server that takes it over reaches no other app's transfers. Each group
    /// counts its workers by itself (``workers``); there are never more of them than attempts run, and two that idle.
    ///
    /// Called with a lock held: answer at once. Default: nil for every transfer.
    ///
    ///     configuration.isolationGroup = { job in job.specification.traits.app.flatMap { sandboxed.contains($0) ? $0 : nil } }
    public var isolationGroup: @Sendable (TransferJob) -> String? = { _ in nil }
    /// Told of every worker's start and end.
    public var logger: Logger

    /// The defaults.
    public init(
        executor: URLSessionExecutorConfiguration, program: WorkerProgram,
        logger: Logger = Logger(label: "transfer.worker")
    ) {
        self.executor = executor
        self.program = program
        self.logger = logger
    }
}
