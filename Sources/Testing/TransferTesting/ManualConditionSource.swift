// SPDX-License-Identifier: Apache-2.0
internal import Synchronization
public import TransferEngine
public import TransferPolicy

/// Tells of the machine what a test says.
public final class ManualConditionSource: ConditionSource {
    private let stream: AsyncStream<Conditions>
    private let continuation: AsyncStream<Conditions>.Continuation
    private let stopped = Mutex(false)

    /// A source that tells `first` at once; with nil it tells nothing until `send`.
    public init(_ first: Conditions? = nil) {
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        if let first { continuation.yield(first) }
    }

    /// The machine is like this now.
    public func send(_ conditions: Conditions) { continuation.yield(conditions) }

    /// Whether it was told to stop.
    public var isStopped: Bool { stopped.withLock { $0 } }

    /// What was sent; of several that nobody has taken, the newest.
    public func snapshots() -> AsyncStream<Conditions> { stream }

    /// Ends the stream.
    public func stop() async {
        stopped.withLock { $0 = true }
        continuation.finish()
    }
}
