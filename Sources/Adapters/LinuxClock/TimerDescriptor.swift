// SPDX-License-Identifier: Apache-2.0
import CTimer
@preconcurrency import Dispatch
import Glibc
internal import TransferModel

/// A kernel timer as a file descriptor, watched on its own queue.
final class TimerDescriptor: Sendable {
    enum Outcome {
        case expired
        case clockSet
        /// The timer was set again before its expiry was read.
        case nothing
    }

    private let descriptor: Int32
    private let source: any DispatchSourceRead

    /// Opens a timer on `clock`. Pass the descriptor to `init(descriptor:)`.
    static func open(clock: clockid_t) throws(LinuxAlarmError) -> Int32 {
        let descriptor = timerfd_create(clock, Int32(TFD_NONBLOCK | TFD_CLOEXEC))
        guard descriptor >= 0 else { throw LinuxAlarmError(code: errno) }
        return descriptor
    }

    /// Creates a timer and takes ownership of the descriptor. Call `onReadable` next.
    init(descriptor: Int32) {
        self.descriptor = descriptor
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: DispatchQueue(label: "alarm"))
        source.setCancelHandler { _ = Glibc.close(descriptor) }
    }

    /// Calls `body` when an expiry can be read. Call exactly once, before all other methods.
    func onReadable(_ body: @escaping @Sendable () -> Void) {
        source.setEventHandler(handler: body)
        source.activate()
    }

    /// Ends the timer and closes the descriptor.
    func close() { source.cancel() }

    /// Sets the timer to expire once at `instant`; `nil` disarms the timer. An instant in the past expires immediately.
    func arm(at instant: Instant?) {
        guard let instant else { return settime(timespec(), flags: 0) }
        // A time of zero would disarm the timer.
        let nanoseconds = max(instant.nanoseconds, 1)
        settime(
            timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000)),
            flags: Int32(TFD_TIMER_ABSTIME))
    }

    /// Sets the timer so that it never expires in practice, and is canceled if the clock is set.
    func armForClockSteps() {
        // The year 2255, near the maximum of the kernel's 64-bit nanoseconds.
        settime(
            timespec(tv_sec: 9_000_000_000, tv_nsec: 0),
            flags: Int32(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET))
    }

    /// Reads the event that made the descriptor readable.
    func readExpiry() -> Outcome {
        var count: UInt64 = 0
        if read(descriptor, &count, 8) == 8 { return .expired }
        return errno == ECANCELED ? .clockSet : .nothing
    }

    private func settime(_ time: timespec, flags: Int32) {
        var specification = itimerspec(it_interval: timespec(), it_value: time)
        timerfd_settime(descriptor, flags, &specification, nil)
    }
}
