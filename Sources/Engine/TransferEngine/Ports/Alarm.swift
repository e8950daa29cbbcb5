// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// The clocks, and one alarm on them.
///
/// Every implementation passes `AlarmContract` in TransferTesting.
public protocol Alarm: Sendable {
    /// Both clocks now. Costs two system calls at most.
    func now() -> Moment

    /// Names the boot that the machine is in, for instants that are kept: two with the same name are on one clock.
    /// Any text that differs from boot to boot, never empty; the same at every call.
    var boot: String { get }

    /// Rings once at `instant` (time asleep counts), in place of what was set before; nil sets nothing.
    func set(_ instant: Instant?)

    /// Rings and steps of the wall clock. One consumer at a time.
    func signals() -> AsyncStream<AlarmSignal>
}

/// What an alarm tells.
public enum AlarmSignal: Hashable, Sendable {
    /// The instant that was set has come.
    case rang
    /// Somebody set the wall clock: dates are to be looked at anew.
    case wallClockSet
}
