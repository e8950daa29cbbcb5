// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

/// §4: Waiting transfers preempt running transfers, if the settings allow preemption.
@Suite struct PreemptionTests {
    private static func settings(slots: Int = 1, agingInterval: Int = 16) -> SchedulerConfiguration {
        var configuration = SchedulerConfiguration()
        configuration.globalSlots = slots
        configuration.agingInterval = agingInterval
        configuration.isPreemptive = true
        return configuration
    }

    @Test("Without preemption in the settings, no running transfer is preempted")
    func off() {
        var configuration = Self.settings()
        configuration.isPreemptive = false
        Timeline.run(
            """
            t=0s submit 1 normal deadline=2000s
            expect 1 starts at 0s
            t=5s submit 2 normal deadline=1000s
            expect 2 waits waitingForSlot
            expect quiet until 100s
            """, configuration: configuration)
    }

    @Test("The earlier deadline takes the slot, and the preempted transfer continues afterward")
    func deadline() {
        Timeline.run(
            """
            t=0s submit 1 normal deadline=2000s
            expect 1 starts at 0s
            t=5s submit 2 normal deadline=1000s
            expect 1 stops at 5s
            expect 2 starts at 5s
            expect 1 waits waitingForSlot
            t=9s finish 2
            expect 2 ends finished at 9s
            expect 1 starts at 9s
            """, configuration: Self.settings())
    }

    @Test("A contender that no longer fits its window gives way to the next one")
    func endOfFit() {
        Timeline.run(
            """
            t=0s submit 1 normal app=a host=h1
            t=0s submit 3 normal app=b host=h3 attempts=9
            t=0s submit 2 normal app=a host=h2
            t=10s progress 1 10000
            t=20s submit 4 normal app=a host=h4 size=100000 window=0-1000
            t=21s submit 5 normal app=b host=h5
            expect 4 waits waitingForSlot
            t=22s fail 3 503
            expect 5 starts at 22s
            expect 3 starts at 900.000000001s
            """, configuration: Self.settings(slots: 3), watchesAll: false)
    }

    @Test("Priority outranks deadlines, and user-initiated transfers outrank both")
    func rank() {
        Timeline.run(
            """
            t=0s submit 1 normal deadline=1000s
            expect 1 starts at 0s
            t=1s submit 2 normal priority=900
            expect 1 stops at 1s
            expect 2 starts at 1s
            t=2s submit 3 userInitiated priority=1
            expect 2 stops at 2s
            expect 3 starts at 2s
            t=3s submit 4 normal priority=1000 deadline=10s
            expect quiet until 9s
            """, configuration: Self.settings())
    }

    @Test("The lowest-ranking running transfer is preempted, one per contender")
    func lowest() {
        Timeline.run(
            """
            t=0s submit 1 normal host=a deadline=3000s
            t=0s submit 2 normal host=b deadline=2000s
            expect 2 starts at 0s
            t=1s submit 3 normal host=c deadline=2500s
            expect 1 stops at 1s
            expect 3 starts at 1s
            t=2s submit 4 normal host=d deadline=2600s
            expect quiet until 3s
            t=3s submit 5 normal host=e deadline=100s
            expect 3 stops at 3s
            expect 5 starts at 3s
            """, configuration: Self.settings(slots: 2))
    }

    @Test("Equal deadlines rank by ID within an app; between apps, running work continues")
    func ties() {
        Timeline.run(
            """
            t=0s submit 2 normal app=a deadline=1000s
            expect 2 starts at 0s
            t=0s submit 1 normal app=b deadline=1000s
            expect quiet until 5s
            t=5s submit 0 normal app=a deadline=1000s
            expect quiet until 6s
            t=6s cancel 1
            expect 2 stops at 6s
            expect 0 starts at 6s
            """, configuration: Self.settings())
    }

    @Test("Time alone may produce a higher-ranking contender")
    func date() {
        Timeline.run(
            """
            t=0s submit 1 normal deadline=2000s
            t=0s submit 2 normal deadline=1000s notBefore=50s
            expect 1 starts at 0s
            expect 1 stops at 50s
            expect 2 starts at 50s
            """, configuration: Self.settings())
    }

    @Test("A running transfer loses its slot when its deadline passes, to a transfer that can still be on time (§4)")
    func pastDeadline() {
        let lines = """
            t=0s submit 1 normal deadline=100s
            expect 1 starts at 0s
            t=5s submit 2 normal deadline=1000s
            t=6s submit 3 normal

            """
        Timeline.run(
            lines + """
                expect 1 stops at 100s
                expect 2 starts at 100s
                t=200s finish 2
                expect 1 starts at 200s
                """, configuration: Self.settings())
        var configuration = Self.settings()
        configuration.startsLateTransfersLast = false
        Timeline.run(lines + "expect quiet until 2000s", configuration: configuration)
    }

    @Test("Preemption applies to global slots only, not to host slots")
    func hostSlots() {
        var configuration = Self.settings(slots: 4)
        configuration.slotsPerHost = 1
        Timeline.run(
            """
            t=0s submit 1 normal host=a deadline=2000s
            expect 1 starts at 0s
            t=1s submit 2 normal host=a deadline=1000s
            expect 2 waits waitingForSlot
            expect quiet until 9s
            """, configuration: configuration)
    }

    @Test("A start granted by aging is not preempted")
    func ageing() {
        Timeline.run(
            """
            t=0s submit 1 normal priority=900
            t=0s submit 2 normal priority=900
            t=0s submit 3 normal priority=900
            t=0s submit 4 normal priority=100
            t=1s finish 1
            t=2s finish 2
            expect order 1,2,4
            expect quiet until 9s
            """, configuration: Self.settings(agingInterval: 1))
    }

    @Test("While a stopping transfer occupies its slot, no other transfer is stopped")
    func stopping() {
        Timeline.run(
            """
            t=0s stops unanswered
            t=0s submit 1 normal deadline=2000s
            expect 1 starts at 0s
            t=1s submit 2 normal deadline=1000s
            expect 1 stops at 1s
            t=2s submit 3 normal deadline=500s
            expect quiet until 20s
            t=20s stopped 1
            expect 3 starts at 20s
            """, configuration: Self.settings())
    }
}
