// SPDX-License-Identifier: Apache-2.0
internal import Synchronization
public import TransferEngine
public import TransferModel

/// An alarm whose clocks stand still until a test advances them.
///
/// ```swift
/// let alarm = ManualAlarm(startingAt: start)
/// alarm.set(start.instant.advanced(by: .seconds(60)))
/// alarm.advance(by: .seconds(60))  // rings
/// ```
public final class ManualAlarm: Alarm {
    private struct State {
        var now: ClockReading
        var due: Instant?
        var continuation: AsyncStream<AlarmSignal>.Continuation?
        /// The signals that were sent before a consumer asked for them.
        var early: [AlarmSignal] = []
    }

    /// The name of the boot that the clock counts from.
    public let boot: String

    private let state: Mutex<State>

    /// Creates an alarm whose clocks show `start`. The default name of the boot is `boot`.
    public init(startingAt start: ClockReading, boot: String = "boot") {
        self.boot = boot
        state = Mutex(State(now: start))
    }

    /// Returns the time that both clocks show.
    public func now() -> ClockReading { state.withLock(\.now) }

    /// The instant that is set, or `nil` if none is set.
    public var due: Instant? { state.withLock(\.due) }

    /// Sets the instant at which the alarm rings once. If the instant has already come, the alarm rings immediately.
    public func set(_ instant: Instant?) {
        state.withLock { state in
            state.due = instant
            Self.ringIfDue(&state)
        }
    }

    /// Returns the stream of rings and changes of the wall clock. Only the latest stream receives signals.
    public func signals() -> AsyncStream<AlarmSignal> {
        let (stream, continuation) = AsyncStream<AlarmSignal>.makeStream()
        state.withLock { state in
            state.continuation = continuation
            for signal in state.early { continuation.yield(signal) }
            state.early = []
        }
        return stream
    }

    /// Advances both clocks, and rings if the instant that is set has come.
    public func advance(by duration: Duration) {
        state.withLock { state in
            state.now = state.now.advanced(by: duration)
            Self.ringIfDue(&state)
        }
    }

    /// Sets the wall clock, as a user would. The boot-time clock is unaffected.
    public func setWallClock(to wall: WallTime) {
        state.withLock { state in
            state.now.wall = wall
            Self.send(.wallClockSet, &state)
        }
    }

    private static func ringIfDue(_ state: inout State) {
        guard let due = state.due, due <= state.now.instant else { return }
        state.due = nil
        send(.rang, &state)
    }

    private static func send(_ signal: AlarmSignal, _ state: inout State) {
        if let continuation = state.continuation { continuation.yield(signal) } else { state.early.append(signal) }
    }
}
