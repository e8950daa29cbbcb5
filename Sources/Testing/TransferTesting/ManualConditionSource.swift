// SPDX-License-Identifier: Apache-2.0
internal import Synchronization
public import TransferEngine
public import TransferModel

/// Tells of the machine what a test says.
public final class ManualConditionSource: ConditionSource {
    private let stream: AsyncStream<Conditions>
    private let continuation: AsyncStream<Conditions>.Continuation
    private let stopped = Mutex(false)
    private let last: Mutex<Conditions?>
    private let readiness = Mutex(0)
    private let onReadyToSleep: @Sendable () -> Void

    /// A source that tells `first` at once; with nil it tells nothing until `send`.
    ///
    /// - Parameters:
    ///   - first: what the machine is like.
    ///   - onReadyToSleep: called within each call of `readyToSleep`.
    public init(_ first: Conditions? = nil, onReadyToSleep: @escaping @Sendable () -> Void = {}) {
        self.onReadyToSleep = onReadyToSleep
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        last = Mutex(first)
        if let first { continuation.yield(first) }
    }

    /// The machine is like this now; what was sent last already is not told again.
    public func send(_ conditions: Conditions) {
        // The lock is kept while telling, so that what is sent from several threads keeps its order.
        last.withLock { last in
            guard last != conditions else { return }
            last = conditions
            continuation.yield(conditions)
        }
    }

    /// Whether it was told to stop.
    public var isStopped: Bool { stopped.withLock { $0 } }

    /// How often it was told that the machine may sleep.
    public var readyToSleepCount: Int { readiness.withLock { $0 } }

    /// Counts.
    public func readyToSleep() {
        readiness.withLock { $0 += 1 }
        onReadyToSleep()
    }

    /// What was sent; of several that nobody has taken, the newest.
    public func snapshots() -> AsyncStream<Conditions> { stream }

    /// Ends the stream.
    public func stop() async {
        stopped.withLock { $0 = true }
        continuation.finish()
    }
}
