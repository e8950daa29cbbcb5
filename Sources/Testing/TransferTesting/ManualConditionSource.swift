// SPDX-License-Identifier: Apache-2.0
internal import Synchronization
public import TransferEngine
public import TransferModel

/// A condition source that reports what a test sends.
///
/// ```swift
/// let source = ManualConditionSource(conditions)
/// conditions.power = fact
/// source.send(conditions)
/// ```
public final class ManualConditionSource: ConditionSource {
    private let stream: AsyncStream<Conditions>
    private let continuation: AsyncStream<Conditions>.Continuation
    private let stopped = Mutex(false)
    private let last: Mutex<Conditions?>
    private let readiness = Mutex(0)
    private let onReadyToSleep: @Sendable () -> Void

    /// Creates a source that reports `first` immediately. With `nil`, the source reports nothing until `send(_:)` is
    /// called.
    ///
    /// - Parameters:
    ///   - first: The first conditions to report.
    ///   - onReadyToSleep: A closure that runs within each call of `readyToSleep()`.
    public init(_ first: Conditions? = nil, onReadyToSleep: @escaping @Sendable () -> Void = {}) {
        self.onReadyToSleep = onReadyToSleep
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        last = Mutex(first)
        if let first { continuation.yield(first) }
    }

    /// Reports new conditions. Has no effect if they equal the conditions that were reported last.
    public func send(_ conditions: Conditions) {
        // The lock is held while reporting, so that values sent from several threads stay in order.
        last.withLock { last in
            guard last != conditions else { return }
            last = conditions
            continuation.yield(conditions)
        }
    }

    /// A Boolean value that indicates whether the source was stopped.
    public var isStopped: Bool { stopped.withLock { $0 } }

    /// The number of calls of `readyToSleep()`.
    public var readyToSleepCount: Int { readiness.withLock { $0 } }

    /// Counts the call.
    public func readyToSleep() {
        readiness.withLock { $0 += 1 }
        onReadyToSleep()
    }

    /// Returns the stream of reported conditions. Of several values that were not consumed, the stream keeps the
    /// newest.
    public func snapshots() -> AsyncStream<Conditions> { stream }

    /// Finishes the stream.
    public func stop() async {
        stopped.withLock { $0 = true }
        continuation.finish()
    }
}
