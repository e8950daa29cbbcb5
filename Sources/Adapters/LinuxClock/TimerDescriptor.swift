// SPDX-License-Identifier: Apache-2.0
import CTimer
@preconcurrency import Dispatch
import Glibc
internal import TransferModel

/// A kernel timer as a descriptor, watched on a queue of its own.
final class TimerDescriptor: Sendable {
    enum Outcome {
        case expired
        case clockSet
        /// Armed anew before anybody looked.
        case nothing
    }

    private let descriptor: Int32
    private let source: any DispatchSourceRead

    /// Opens a timer on `clock`, for `init(descriptor:)`.
    static func open(clock: clockid_t) throws(LinuxAlarmError) -> Int32 {
        let descriptor = timerfd_create(clock, Int32(TFD_NONBLOCK | TFD_CLOEXEC))
        guard descriptor >= 0 else { throw LinuxAlarmError(code: errno) }
        return descriptor
    }

    /// Takes over the descriptor; `onReadable` must follow.
    init(descriptor: Int32) {
        self.descriptor = descriptor
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: DispatchQueue(label: "alarm"))
        source.setCancelHandler { _ = Glibc.close(descriptor) }
    }

    /// Calls `body` when there is something to take; once, before anything else.
    func onReadable(_ body: @escaping @Sendable () -> Void) {
        source.setEventHandler(handler: body)
        source.activate()
    }

    /// Ends it and closes the descriptor.
    func close() { source.cancel() }

    /// Goes off once at `instant`, at once where that is past; nil for never.
    func arm(at instant: Instant?) {
        guard let instant else { return settime(timespec(), flags: 0) }
        // A time of zero would mean never.
        let nanoseconds = max(instant.nanoseconds, 1)
        settime(
            timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000)),
            flags: Int32(TFD_TIMER_ABSTIME))
    }

    /// Never goes off by itself, but is cancelled when somebody sets the clock.
    func armForClockSteps() {
        // The year 2255, near the end of the kernel's nanoseconds.
        settime(
            timespec(tv_sec: 9_000_000_000, tv_nsec: 0),
            flags: Int32(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET))
    }

    /// Takes what made the descriptor readable.
    func takeExpiry() -> Outcome {
        var count: UInt64 = 0
        if read(descriptor, &count, 8) == 8 { return .expired }
        return errno == ECANCELED ? .clockSet : .nothing
    }

    private func settime(_ time: timespec, flags: Int32) {
        var specification = itimerspec(it_interval: timespec(), it_value: time)
        timerfd_settime(descriptor, flags, &specification, nil)
    }
}
