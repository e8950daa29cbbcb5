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

    @Test("Work that needs longer than the window is still open waits for the next, from its first moment on")
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

    @Test("What fits to the second starts")
    func fits() {
        Timeline.run(
            """
            \(Self.rate)
            t=2s submit 1 normal window=0-3600 size=3598000
            expect 1 starts at 2s
            """)
    }

    @Test("No window of it is long enough: it starts, and goes on in the next")
    func noWindowIsLongEnough() {
        Timeline.run(
            """
            \(Self.rate)
            t=2s submit 1 normal window=0-3600 size=3601000
            expect 1 starts at 2s
            expect 1 stops at 3600s
            """)
    }

    @Test("Its deadline comes before the next opening, or with it: it starts; later, it waits")
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

    @Test("User-initiated work starts, and so does work whose size nobody knows")
    func others() {
        Timeline.run(
            """
            \(Self.rate)
            t=2s submit 1 userInitiated window=0-3600 size=3599000
            t=2s submit 2 normal window=0-3600
            expect order 9,1,2
            """)
    }

    @Test("As long as no rate was seen nothing is too long")
    func unknownRate() {
        Timeline.run(
            """
            t=0s submit 8 normal loopback
            t=1s progress 8 10
            t=2s submit 1 normal window=0-3600 size=3600000000
            expect 1 starts at 2s
            """)
    }

    @Test("Discretionary work as well, and what runs is not stopped for it")
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

    @Test("Its own rate counts before others', and so do the bytes it has")
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

    @Test("A window that opens while it waits is taken where it is long enough")
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
        #expect(!machine.holdsSlot(TransferID(1)))
        machine.advance(to: .seconds(999))
        #expect(!machine.holdsSlot(TransferID(1)))
        machine.advance(to: .seconds(1000))
        #expect(machine.holdsSlot(TransferID(1)))
    }

    @Test("It is told once, not anew with every second that the window is shorter")
    func toldOnce() {
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

    @Test("What would release it is the next window")
    func explained() {
        Timeline.run(
            """
            \(Self.rate)
            t=2s submit 1 normal window=0-3600 size=3599000
            expect 1 released wait:604800s
            expect 1 saying it needs about 60 min, and only 60 min are left of the time in which it may run — starts Mon 30 Nov 00:00:00
            """)
    }
}
