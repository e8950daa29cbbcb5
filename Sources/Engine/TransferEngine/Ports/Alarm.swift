// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// The clocks and an alarm.
///
/// Every implementation passes `AlarmContract` in TransferTesting.
public protocol Alarm: Sendable {
    /// Returns the current time of both clocks. Costs at most two system calls.
    func now() -> ClockReading

    /// An identifier of the machine's current boot, for stored instants. Instants with the same identifier share one
    /// clock.
    ///
    /// The text differs from boot to boot, is never empty, and is the same at every call.
    var boot: String { get }

    /// Sets the alarm to ring once at `instant`, and replaces the previous alarm. The value `nil` sets no alarm.
    ///
    /// Time asleep counts toward `instant`.
    func set(_ instant: Instant?)

    /// Returns a stream of the alarm's rings and of steps of the wall clock. Supports one consumer at a time.
    func signals() -> AsyncStream<AlarmSignal>
}

extension Alarm {
    /// Calls `look` now, and again at each date that it returns, until it returns `nil` or the task is canceled.
    ///
    /// Calls `look` at least each hour, because setting the wall clock changes the time that is left.
    package func repeatedly(_ look: @Sendable (ClockReading) -> Instant?) async {
        while !Task.isCancelled {
            let now = self.now()
            guard let next = look(now) else { return }
            let left = min(now.instant.duration(to: next), Duration.seconds(3600))
            try? await Task.sleep(for: left, clock: .continuous)
        }
    }
}

/// A signal of an alarm.
public enum AlarmSignal: Hashable, Sendable {
    /// The set instant was reached.
    case rang
    /// The wall clock was set, so dates must be evaluated again.
    case wallClockSet
}
