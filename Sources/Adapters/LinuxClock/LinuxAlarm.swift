// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization
public import TransferEngine
public import TransferModel

/// The kernel's clocks, and an alarm on the one that counts time asleep.
///
/// Two timer descriptors do the work: one on the boot-time clock rings, one on the wall clock is cancelled by the
/// kernel when somebody sets that clock. While no alarm is set nothing wakes the process.
public final class LinuxAlarm: Alarm {
    private struct State {
        var consumer: AsyncStream<AlarmSignal>.Continuation?
        var consumerNumber = 0
    }

    /// The kernel's name of this boot.
    public let boot = BootName.current

    private let timer: TimerDescriptor
    private let step: TimerDescriptor
    private let state = Mutex(State())

    /// Opens the timers; fails where the kernel has no descriptors left.
    public init() throws(LinuxAlarmError) {
        let bootTime = try TimerDescriptor.open(clock: CLOCK_BOOTTIME)
        do {
            step = TimerDescriptor(descriptor: try TimerDescriptor.open(clock: CLOCK_REALTIME))
        } catch {
            close(bootTime)
            throw error
        }
        timer = TimerDescriptor(descriptor: bootTime)
        timer.onReadable { [weak self, timer] in
            if timer.takeExpiry() == .expired { self?.send(.rang) }
        }
        step.onReadable { [weak self, step] in
            let outcome = step.takeExpiry()
            step.armForClockSteps()
            if outcome == .clockSet { self?.send(.wallClockSet) }
        }
        step.armForClockSteps()
    }

    deinit {
        timer.close()
        step.close()
        state.withLock { $0.consumer }?.finish()
    }

    /// Both clocks now.
    public func now() -> Moment { Moment.readClocks() }

    /// Rings once at `instant`, at once where that is past, in place of what was set before; nil sets nothing.
    public func set(_ instant: Instant?) { timer.arm(at: instant) }

    /// Rings, and steps of the wall clock; ends the stream given out before.
    public func signals() -> AsyncStream<AlarmSignal> {
        // Unbounded, yet small: each ring needs a `set`, and clocks are rarely set.
        let (stream, continuation) = AsyncStream.makeStream(of: AlarmSignal.self)
        let (former, number) = state.withLock { state in
            let former = state.consumer
            state.consumer = continuation
            state.consumerNumber += 1
            return (former, state.consumerNumber)
        }
        former?.finish()
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { if $0.consumerNumber == number { $0.consumer = nil } }
        }
        return stream
    }

    private func send(_ signal: AlarmSignal) {
        state.withLock { $0.consumer }?.yield(signal)
    }
}

/// Why the alarm could not be made.
public struct LinuxAlarmError: Error, Hashable {
    /// The system's error number.
    public var code: Int32
}

extension Moment {
    /// Both clocks now.
    static func readClocks() -> Moment {
        Moment(
            instant: Instant(nanoseconds: nanoseconds(on: CLOCK_BOOTTIME)),
            wall: WallTime(nanosecondsSinceEpoch: nanoseconds(on: CLOCK_REALTIME)))
    }

    private static func nanoseconds(on clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
