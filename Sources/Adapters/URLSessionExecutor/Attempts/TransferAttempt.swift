// SPDX-License-Identifier: Apache-2.0

/// One attempt to carry a transfer out, as the executor sees it.
protocol TransferAttempt: AnyObject, Sendable {
    /// Begins; on the consumer queue.
    func begin()
    /// Notes that a stop was asked for, so that long work sees it before its turn comes; true the first time. From any
    /// thread.
    func noteStop() -> Bool
    /// Stops, after `noteStop`; on the consumer queue.
    func stop()
    /// Called twice a second; on the consumer queue.
    func tick(now: UInt64)
    /// The requests under way, to be cancelled from any thread.
    var liveExchanges: [Exchange] { get }
}
