// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

/// §5 of the background sessions: the relaunch limiter within the scheduler.
@Suite struct RelaunchTests {
    @Test("Delays as measured on devices: 60, 120, and 240 s after launches (R4)")
    func workedExample() {
        // Counted from 22:00:00.
        Timeline.run(
            """
            t=100s submit 1 normal app=x session=a
            t=100s submit 9 normal app=x session=b
            expect 9 starts at 100s
            t=161s finish 1
            t=162s relaunch x
            expect delay x 60s
            t=163s submit 2 normal background app=x session=a
            expect 2 because rateLimited:60s:1:222s
            expect wake 222s
            expect 2 starts at 222s
            t=232s finish 2
            expect delay x 60s
            t=233s relaunch x
            expect delay x 120s
            t=234s submit 3 normal background app=x session=a
            expect 3 because rateLimited:120s:2:353s
            t=291s finish 9
            t=292s relaunch x
            expect delay x 240s
            t=293s submit 4 normal background app=x session=a
            expect 4 because rateLimited:240s:3:532s
            expect 3 because rateLimited:120s:2:353s
            expect 3 starts at 353s
            expect 4 starts at 532s
            """)
    }

    @Test("Each launch doubles the delay, up to six hours (R1)")
    func doubling() {
        let steps = (0..<12).map { number in
            let delay = min(60 << number, 21_600)
            return "t=\(number)s relaunch x\nexpect delay x \(delay)s"
        }
        Timeline.run(steps.joined(separator: "\n") + "\nexpect delay y 0s\nexpect learned 12")
    }

    @Test("The first and the maximum delay are configurable (R1)")
    func settings() {
        var configuration = SchedulerConfiguration()
        configuration.relaunchLimiter.first = .seconds(10)
        configuration.relaunchLimiter.longest = .seconds(15)
        Timeline.run(
            """
            t=0s relaunch x
            expect delay x 10s
            t=1s relaunch x
            expect delay x 15s
            t=2s submit 1 normal background app=x
            expect 1 because rateLimited:15s:2:16s
            """, configuration: configuration)
    }

    @Test("Background work is delayed from the app's launch on; other work is not (R2)")
    func delayedTransfers() {
        Timeline.run(
            """
            given network=none
            t=0s submit 1 discretionary app=x
            t=10s relaunch x
            t=11s network full
            t=11s submit 2 normal app=x
            t=11s submit 3 normal background app=y
            t=40s submit 4 userInitiated background app=x
            expect 2 runs
            expect 1 runs
            expect 3 runs
            expect 4 because rateLimited:60s:1:70s
            expect 4 starts at 70s
            """, configuration: stableImmediately())
    }

    private func stableImmediately() -> SchedulerConfiguration {
        var configuration = SchedulerConfiguration()
        configuration.networkDebounce = .zero
        return configuration
    }

    @Test("Work started in the background is discretionary, even without a delay (S6)")
    func discretionary() {
        Timeline.run(
            """
            given power=battery
            t=0s submit 1 userInitiated background app=x
            t=0s submit 2 normal background app=x
            expect 1 waits onBattery
            expect 2 waits onBattery
            expect 1 holdSaved none
            expect learned 0
            """)
    }

    @Test("Bringing the app to the front releases its transfers immediately (R3)")
    func front() {
        Timeline.run(
            """
            t=0s relaunch x
            t=0s relaunch y
            t=1s submit 1 normal background app=x
            t=1s submit 2 normal background app=y
            expect 1 holdSaved 1
            expect learned 4
            t=10s front x
            expect 1 starts at 10s
            expect 1 holdSaved none
            expect delay x 0s
            expect delay y 60s
            expect learned 5
            expect 2 starts at 60s
            t=61s relaunch x
            expect delay x 60s
            """)
    }

    @Test("The end of the period ends the delay, unless a delayed task is unfinished (R4)")
    func quiet() {
        Timeline.run(
            """
            t=0s relaunch x
            t=59.9s woken
            expect delay x 60s
            t=60s woken
            expect delay x 0s
            t=61s relaunch x
            expect delay x 60s
            t=62s submit 1 normal background app=x session=s
            t=62s submit 2 normal background app=x session=s
            expect 1 starts at 121s
            t=500s relaunch x
            expect delay x 120s
            t=700s finish 1
            expect delay x 120s
            t=701s fail 2 certificate
            expect delay x 120s
            t=702s relaunch x
            expect delay x 240s
            """)
    }

    @Test("The delay ends with the last delayed task if no launch follows (R4)")
    func endWithoutRelaunch() {
        Timeline.run(
            """
            t=0s relaunch x
            t=1s submit 1 normal background app=x session=s
            t=1s submit 2 normal app=x session=s
            t=1s submit 3 normal background app=x session=t
            t=100s finish 1
            expect delay x 60s
            t=101s finish 3
            expect delay x 60s
            t=102s abandon x
            expect delay x 0s
            t=103s abandon x
            t=103s abandon y
            expect learned 7
            """)
    }

    @Test("Only the end of a delayed task counts, not that of other tasks (R4)")
    func endOfOthers() {
        Timeline.run(
            """
            t=0s relaunch x
            t=1s submit 1 normal app=x session=s
            t=2s finish 1
            t=60s woken
            expect delay x 0s
            """)
    }

    @Test("Canceling and recreating a task leads to the same release (R2)")
    func recreating() {
        Timeline.run(
            """
            t=0s relaunch x
            t=1s submit 1 normal background app=x session=a
            t=20s cancel 1
            t=20s submit 2 normal background app=x session=a
            t=40s cancel 2
            t=40s submit 3 normal background app=x session=b
            expect 3 because rateLimited:60s:1:60s
            t=50s pause 3
            t=51s resume 3
            expect 3 starts at 60s
            t=61s submit 4 normal background app=x session=c
            expect 4 starts at 61s
            """)
    }

    @Test("A hundred tasks submitted together cost one launch and begin together (R6)")
    func atOnce() {
        var configuration = SchedulerConfiguration()
        (configuration.globalSlots, configuration.slotsPerApp, configuration.slotsPerSession) = (200, 200, 200)
        let tasks = (1...100).map { "t=1s submit \($0) normal background app=x session=s" }.joined(separator: "\n")
        let ends = (1...100).map { "t=70s finish \($0)" }.joined(separator: "\n")
        let machine = Timeline.run(
            """
            t=0s relaunch x
            \(tasks)
            expect wake 60s
            expect 100 starts at 60s
            \(ends)
            expect delay x 60s
            t=71s relaunch x
            expect delay x 120s
            """, configuration: configuration)
        #expect(machine.log.count { if case .start = $0.effect { $0.time == .seconds(60) } else { false } } == 100)
    }

    @Test("A hundred tasks submitted one by one cost a hundred launches (R6)")
    func oneAfterAnother() {
        let machine = Machine()
        var expected = Duration.seconds(1)
        for number in 0..<100 {
            machine.apply(.appRelaunched("x"))
            let delay = Duration.seconds(min(60 << min(number, 20), 21_600))
            #expect(machine.relaunchDelay(of: "x") == delay)
            expected = machine.elapsed + delay
            let id = TransferID(Int64(number + 1))
            machine.apply(
                .submitted(
                    id,
                    TransferTraits(
                        kind: .normal, host: "h", app: "x", submitted: machine.now.wall, session: "s",
                        isFromBackground: true)))
            machine.advance(to: expected - .nanoseconds(1))
            #expect(!machine.occupiesSlot(id))
            machine.advance(to: expected)
            #expect(machine.occupiesSlot(id))
            machine.advance(to: expected + .seconds(1))
            _ = machine.endAttempt(id)
            machine.apply(.finished(id))
        }
        // 60 + 120 + … + 15360 s, and then 91 times the longest delay.
        #expect(machine.elapsed == .seconds(30_660 + 91 * 21_600 + 100))
    }
}
