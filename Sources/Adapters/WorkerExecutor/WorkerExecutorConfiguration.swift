// SPDX-License-Identifier: Apache-2.0
public import Logging
public import TransferEngine
public import TransferFiles

/// The configuration of worker processes.
///
/// ```swift
/// var configuration = WorkerExecutorConfiguration(
///     executor: HTTPExecutorConfiguration(partialDirectory: "/var/lib/example/partial"),
///     program: .thisProgram)
/// configuration.workers = 2
/// ```
public struct WorkerExecutorConfiguration: Sendable {
    /// The configuration of the executor in each worker.
    public var executor: HTTPExecutorConfiguration
    /// The program of the workers.
    public var program: WorkerProgram
    /// The maximum number of workers, at least 1. Workers for transfers that may have ended other workers are not
    /// counted.
    ///
    /// Default 1. A worker sustains about 100 MB/s and 4000 small files per second. Each further worker uses a
    /// further core.
    public var workers = 1
    /// The number of attempts that every worker must have before a further worker is started.
    ///
    /// Default 8.
    public var attemptsPerWorker = 8
    /// The number of seconds after which a worker without attempts is shut down.
    ///
    /// Default 60.
    public var idleSeconds = 60
    /// The number of seconds of silence after which a worker with attempts is probed. A worker that does not respond
    /// within another period of this length is killed.
    ///
    /// Default 60. A worker that only waits for the disk or a rate limit does respond.
    public var silenceLimitSeconds = 60
    /// A closure that returns the isolation group of a transfer. `nil` is the common group.
    ///
    /// A worker serves a single group. A compromised worker therefore cannot reach the transfers of other
    /// groups. The limit ``workers`` applies to each group separately. At most two workers of named groups stay idle.
    ///
    /// The closure is called while a lock is held and must return immediately. Default: `nil` for every transfer.
    ///
    /// ```swift
    /// configuration.isolationGroup = { $0.specification.isSandboxed ? $0.specification.traits.app : nil }
    /// ```
    public var isolationGroup: @Sendable (TransferJob) -> String? = { _ in nil }
    /// The logger for the start and end of each worker.
    public var logger: Logger

    /// Creates a configuration with default values.
    ///
    /// - Parameters:
    ///   - executor: The configuration of the executor in each worker.
    ///   - program: The program of the workers.
    ///   - logger: The logger for the start and end of each worker.
    public init(
        executor: HTTPExecutorConfiguration, program: WorkerProgram,
        logger: Logger = Logger(label: "transfer.worker")
    ) {
        self.executor = executor
        self.program = program
        self.logger = logger
    }
}
