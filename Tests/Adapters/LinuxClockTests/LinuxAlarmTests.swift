// SPDX-License-Identifier: Apache-2.0
import CTimer
import Glibc
import LinuxClock
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferTesting

@Suite("LinuxAlarm", .timeLimit(.minutes(5)))
struct LinuxAlarmTests {
    @Test("The alarm fulfills the contract of its port", arguments: AlarmContract.Check.allCases)
    func contract(_ check: AlarmContract.Check) async throws {
        let contract = AlarmContract(unit: .milliseconds(100)) {
            .init(try LinuxAlarm()) { duration in
                // The kernel's clock cannot be controlled by a test, so a few milliseconds must pass.
                try await Task.sleep(for: duration)
            }
        }
        try await contract.run(check)
    }

    /// Waits for an alarm. The test below or another program may set the clock in the meantime.
    private func rings(_ signals: inout AsyncStream<AlarmSignal>.Iterator) async -> Bool {
        while let signal = await signals.next() {
            if signal == .rang { return true }
        }
        return false
    }

    @Test("The alarm rings once, and not before its time")
    func rings() async throws {
        let alarm = try LinuxAlarm()
        var signals = alarm.signals().makeAsyncIterator()
        let goal = alarm.now().instant.advanced(by: .milliseconds(60))
        alarm.set(goal)
        #expect(await rings(&signals))
        #expect(alarm.now().instant >= goal)
        let second = alarm.now().instant.advanced(by: .milliseconds(30))
        alarm.set(second)
        #expect(await rings(&signals))
        #expect(alarm.now().instant >= second)
    }

    @Test(
        "A time in the past rings immediately",
        arguments: [Instant.zero, Instant(nanoseconds: -5), Instant(nanoseconds: 1)])
    func past(_ instant: Instant) async throws {
        let alarm = try LinuxAlarm()
        var signals = alarm.signals().makeAsyncIterator()
        alarm.set(instant)
        #expect(await rings(&signals))
    }

    @Test("A new time replaces the previous time, and nil cancels the alarm")
    func replaced() async throws {
        let alarm = try LinuxAlarm()
        var signals = alarm.signals().makeAsyncIterator()
        alarm.set(alarm.now().instant.advanced(by: .milliseconds(20)))
        alarm.set(nil)
        alarm.set(.distantFuture)
        let goal = alarm.now().instant.advanced(by: .milliseconds(120))
        alarm.set(goal)
        #expect(await rings(&signals))
        #expect(alarm.now().instant >= goal)
    }

    @Test("A second consumer ends the first stream, and releasing the alarm ends the second")
    func consumers() async throws {
        var alarm: LinuxAlarm? = try LinuxAlarm()
        var first = alarm?.signals().makeAsyncIterator()
        var second = try #require(alarm).signals().makeAsyncIterator()
        #expect(await first?.next() != .rang)
        alarm?.set(.zero)
        #expect(await rings(&second))
        alarm = nil
        #expect(await !rings(&second))
    }

    /// Sets the wall clock forward by one nanosecond, which the kernel announces like any other change.
    private static func setWallClock() -> Bool {
        var step = timex()
        step.modes = UInt32(ADJ_SETOFFSET | ADJ_NANO)
        step.time.tv_usec = 1
        return adjtimex(&step) >= 0
    }

    @Test(
        "Each change of the wall clock is reported",
        .enabled(
            if: getenv("TEST_WALL_CLOCK") != nil,
            "it sets the machine's clock, if only by a nanosecond: run as root with TEST_WALL_CLOCK=1"))
    func wallClockSet() async throws {
        let alarm = try LinuxAlarm()
        var signals = alarm.signals().makeAsyncIterator()
        for _ in 0..<3 {
            #expect(Self.setWallClock())
            #expect(await signals.next() == .wallClockSet)
        }
    }

    @Test("Both clocks are the kernel's")
    func clocks() throws {
        let alarm = try LinuxAlarm()
        var (boot, wall) = (timespec(), timespec())
        clock_gettime(CLOCK_BOOTTIME, &boot)
        clock_gettime(CLOCK_REALTIME, &wall)
        let now = alarm.now()
        #expect(abs(now.instant.nanoseconds / 1_000_000_000 - Int64(boot.tv_sec)) <= 2)
        #expect(abs(now.wall.secondsSinceEpoch - Int64(wall.tv_sec)) <= 2)
    }
}
