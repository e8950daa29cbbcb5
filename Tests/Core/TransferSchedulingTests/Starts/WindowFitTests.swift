// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

/// §4, T4: A transfer that cannot finish within the rest of its window does not start. Windows are in seconds of the
/// week.
@Suite struct WindowFitTests {
    /// Lines that show the scheduler a rate of 1000 bytes per second. The clock is then at 2 s.
    private static let rate = """
        t=0s submit 9 normal
        t=1s progress 9 1000
        t=2s finish 9
        """

    @Test("Work that is too long for the rest of its window waits for the next window")
    func tooLong() {
        Timeline.run(
            """
            \(Self.rate)
            t=2s submit 1 normal window=0-3600 size=3599000
            expect 1 because windowTooShort:3599s:3598s
            expect 1 looked 3600s
            expect order 9
            expect quiet until 604799s
            expect 1 waits outsideWindow
            expect 1 starts at 604800s
            """)
    }

    @Test("Work that fits exactly starts")
    func fits() {
        Timeline.run(
            """
            \(Self.rate)
            t=2s submit 1 normal window=0-3600 size=3598000
            expect 1 starts at 2s
            """)
    }

    @Test("If no window is long enough, the transfer starts and continues in the next")
    func noWindowIsLongEnough() {
        Timeline.run(
            """
            \(Self.rate)
            t=2s submit 1 normal window=0-3600 size=3601000
            expect 1 starts at 2s
            expect 1 stops at 3600s
            """)
    }

    @Test("A transfer starts if its deadline precedes the next opening, and waits otherwise")
    func deadline() {
        Timeline.run(
            """
            \(Self.rate)
            t=2s submit 1 normal window=0-3600 size=3599000 deadline=604800s
            t=2s submit 2 normal window=0-3600 size=3599000 deadline=604801s
            expect 1 starts at 2s
            expect 2 waits windowTooShort
            """)
    }

    @Test("User-initiated work and work of unknown size start")
    func others() {
        Timeline.run(
            """
            \(Self.rate)
            t=2s submit 1 userInitiated window=0-3600 size=3599000
            t=2s submit 2 normal window=0-3600
            expect order 9,1,2
            """)
    }

    @Test("Without a measured rate, nothing is too long")
    func unknownRate() {
        Timeline.run(
            """
            t=0s submit 8 normal loopback
            t=1s progress 8 10
            t=2s submit 1 normal window=0-3600 size=3600000000
            expect 1 starts at 2s
            """)
    }

    @Test("Discretionary work waits too, and running work is not stopped")
    func discretionary() {
        Timeline.run(
            """
            \(Self.rate)
            t=2s submit 1 discretionary window=0-3600 size=3599000
            t=2s submit 2 discretionary window=0-3600 size=3000000
            expect 1 waits windowTooShort
            expect 2 runs
            t=1000s woken
            expect 2 runs
            """)
    }

    @Test("A transfer's own rate and bytes count first")
    func ownRate() {
        Timeline.run(
            """
            \(Self.rate)
            t=2s submit 1 normal window=0-3600 size=35000
            expect 1 starts at 2s
            t=12s progress 1 100
            t=13s pause 1
            t=110s resume 1
            expect 1 runs
            t=110s pause 1
            t=111s resume 1
            expect 1 because windowTooShort:3490s:3489s
            """)
    }

    @Test("A window that opens during the wait is used if it is long enough")
    func secondWindow() {
        var constraints = Constraints()
        constraints.window = WindowConstraint(windows: [.init(start: 0, end: 100), .init(start: 1000, end: 2000)])
        let machine = Timeline.run(Self.rate)
        machine.apply(
            .submitted(
                TransferID(1),
                TransferTraits(
                    kind: .normal, constraints: constraints, host: "h", expectedBytesToReceive: 500_000,
                    submitted: machine.now.wall)))
        #expect(!machine.occupiesSlot(TransferID(1)))
        machine.advance(to: .seconds(999))
        #expect(!machine.occupiesSlot(TransferID(1)))
        machine.advance(to: .seconds(1000))
        #expect(machine.occupiesSlot(TransferID(1)))
    }

    @Test("The reason is reported once, not for every second of the shrinking window")
    func reportedOnce() {
        Timeline.run(
            """
            \(Self.rate)
            t=3s submit 1 normal window=0-3600 size=3599000
            t=4s power battery
            t=5s power ac
            t=3700s woken
            expect 1 told 3s,3600s
            """)
    }

    @Test("The remedy is the next window")
    func explained() {
        Timeline.run(
            """
            \(Self.rate)
            t=2s submit 1 normal window=0-3600 size=3599000
            expect 1 released wait:604800s
            expect 1 saying needs about 60 min; the time window closes in 60 min — starts Mon 30 Nov 00:00:00
            """)
    }
}
