// SPDX-License-Identifier: Apache-2.0
import Glibc
import LinuxKernel
import Synchronization
public import TransferEngine
public import TransferModel

/// The kernel's clocks, and an alarm on the clock that includes time asleep.
///
/// Uses two timer descriptors. The descriptor on the boot-time clock expires at the alarm's time. The kernel cancels
/// the descriptor on the wall clock if that clock is set. While no alarm is set, nothing wakes the process.
///
/// ```swift
/// let alarm = try LinuxAlarm()
/// alarm.set(alarm.now().instant.advanced(by: .seconds(60)))
/// for await signal in alarm.signals() { print(signal) }
/// ```
public final class LinuxAlarm: Alarm {
    private struct State {
        var consumer: AsyncStream<AlarmSignal>.Continuation?
        var consumerNumber = 0
    }

    /// The kernel's name of the current boot.
    public let boot = BootName.current

    private let timer: TimerDescriptor
    private let step: TimerDescriptor
    private let state = Mutex(State())

    /// Opens the timers.
    ///
    /// - Throws: `LinuxAlarmError` if a timer descriptor cannot be opened.
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
            if timer.readExpiry() == .expired { self?.send(.rang) }
        }
        step.onReadable { [weak self, step] in
            let outcome = step.readExpiry()
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

    /// Returns the current time on both clocks.
    public func now() -> ClockReading { ClockReading.readClocks() }

    /// The current time on both clocks, for a caller without an alarm.
    package static var currentReading: ClockReading { ClockReading.readClocks() }

    /// Sets the alarm to `instant` and replaces the preceding setting; `nil` cancels the alarm. An instant in the past
    /// triggers the alarm immediately.
    public func set(_ instant: Instant?) { timer.arm(at: instant) }

    /// Returns a stream of alarms and changes of the wall clock. Ends the stream of the preceding call.
    public func signals() -> AsyncStream<AlarmSignal> {
        // Unbounded, yet small: each alarm needs a call of `set`, and clocks are rarely set.
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

/// An error in opening the alarm's timers.
public struct LinuxAlarmError: Error, Hashable {
    /// The system's error number.
    public var code: Int32
}

extension ClockReading {
    /// Reads the current time on both clocks.
    static func readClocks() -> ClockReading {
        ClockReading(
            instant: Instant(nanoseconds: nanoseconds(on: CLOCK_BOOTTIME)),
            wall: WallTime(nanosecondsSinceEpoch: nanoseconds(on: CLOCK_REALTIME)))
    }

    private static func nanoseconds(on clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return time.nanoseconds
    }
}

/// The name of the time since the machine's last start.
enum BootName {
    /// The name of the current boot.
    static let current = name(for: BootIdentity.current)

    /// Returns the name from the file at `path`.
    static func name(in path: String) -> String { name(for: BootIdentity.id(in: path)) }

    /// Returns the boot's id. Without an id, returns a random name that is unique to this process. State that an
    /// earlier process saved then counts as from another boot. Only the wall clock can date that state, and none of
    /// its times count as times on this boot's clock.
    private static func name(for id: String) -> String {
        id.isEmpty ? "unnamed-\(UInt64.random(in: .min ... .max))" : id
    }
}
