// SPDX-License-Identifier: Apache-2.0
internal import Synchronization
public import TransferEngine
public import TransferModel

/// Clocks that stand still until a test moves them.
public final class ManualAlarm: Alarm {
    private struct State {
        var now: Moment
        var due: Instant?
        var continuation: AsyncStream<AlarmSignal>.Continuation?
        /// What came before anybody listened.
        var early: [AlarmSignal] = []
    }

    /// The name of the boot that the clock counts from.
    public let boot: String

    private let state: Mutex<State>

    /// Clocks that show `start`, in the boot with that name.
    public init(startingAt start: Moment, boot: String = "boot") {
        self.boot = boot
        state = Mutex(State(now: start))
    }

    /// What both clocks show.
    public func now() -> Moment { state.withLock(\.now) }

    /// The instant that is set; nil where none is.
    public var due: Instant? { state.withLock(\.due) }

    /// Rings once when the clock gets to `instant`; at once where it is there already.
    public func set(_ instant: Instant?) {
        state.withLock { state in
            state.due = instant
            Self.ringIfDue(&state)
        }
    }

    /// Rings and steps of the wall clock.
    public func signals() -> AsyncStream<AlarmSignal> {
        let (stream, continuation) = AsyncStream<AlarmSignal>.makeStream()
        state.withLock { state in
            state.continuation = continuation
            for signal in state.early { continuation.yield(signal) }
            state.early = []
        }
        return stream
    }

    /// Moves both clocks on, and rings where the instant that is set has come.
    public func advance(by duration: Duration) {
        state.withLock { state in
            state.now = state.now.advanced(by: duration)
            Self.ringIfDue(&state)
        }
    }

    /// Sets the wall clock, as a person would; the boot-time clock goes on as before.
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
