// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

@Suite struct SlotTests {
    @Test("Four transfers run at the same time; the fifth starts when one ends")
    func global() {
        Timeline.run(
            """
            t=0s submit 1 normal
            t=0s submit 2 normal
            t=0s submit 3 normal
            t=0s submit 4 normal
            t=0s submit 5 normal
            expect 4 starts at 0s
            expect 5 waits waitingForSlot
            expect 5 released slot
            t=9s finish 2
            expect 2 ends finished at 9s
            expect 5 starts at 9s
            """)
    }

    @Test("Two transfers run per host; others bypass a transfer that waits for it")
    func perHost() {
        Timeline.run(
            """
            t=0s submit 1 normal host=a
            t=0s submit 2 normal host=a
            t=0s submit 3 normal host=a
            t=0s submit 4 normal host=b
            expect 4 starts at 0s
            expect 3 waits waitingForSlot
            expect 3 saying waiting for other transfers with the same server — starts when another transfer ends
            t=5s fail 1 certificate
            expect 3 starts at 5s
            """)
    }

    @Test("Canonically equal names share their slots")
    func equalNames() {
        Timeline.run(
            """
            t=0s submit 1 normal host=caf\u{e9}
            t=0s submit 2 normal host=cafe\u{301}
            t=0s submit 3 normal host=caf\u{e9}
            expect 2 starts at 0s
            expect 3 waits waitingForSlot
            t=5s finish 2
            expect 3 starts at 5s
            """)
    }

    @Test("A stopping attempt keeps its slot until it ends")
    func stoppingKeepsItsSlot() {
        Timeline.run(
            """
            t=0s stops unanswered
            t=0s submit 1 normal host=a
            t=0s submit 2 normal host=a
            t=0s submit 3 normal host=a
            expect 2 starts at 0s
            t=1s pause 1
            expect 1 stops at 1s
            expect quiet until 20s
            t=20s stopped 1
            expect 3 starts at 20s
            """)
    }

    @Test("User-initiated first, then priority, then deadline, then age")
    func order() {
        var configuration = SchedulerConfiguration()
        configuration.globalSlots = 1
        let machine = Timeline.run(
            """
            given network=none
            t=0s submit 1 normal
            t=0s submit 2 normal
            t=0s submit 3 normal deadline=2000s
            t=0s submit 4 normal deadline=1000s
            t=0s submit 5 normal priority=900
            t=0s submit 6 userInitiated priority=1
            t=0s submit 7 userInitiated priority=2
            t=0s submit 8 normal deadline=1000s
            t=1s network full
            t=2s finish 7
            t=3s finish 6
            t=4s finish 5
            t=5s finish 4
            t=6s finish 8
            t=7s finish 3
            t=8s finish 1
            t=9s finish 2
            """, configuration: configuration)
        let started = machine.log.compactMap { entry -> Int64? in
            if case .start(let id) = entry.effect { id.rawValue } else { nil }
        }
        #expect(started == [7, 6, 5, 4, 8, 3, 1, 2])
        #expect(machine.openCount == 0)
    }

    @Test("A new priority reorders waiting work; new constraints stop running work")
    func change() {
        var configuration = SchedulerConfiguration()
        configuration.globalSlots = 1
        Timeline.run(
            """
            t=0s submit 1 normal
            t=0s submit 2 normal
            t=0s submit 3 normal
            expect 1 starts at 0s
            t=1s change 3 normal priority=501
            t=2s finish 1
            expect 1 ends finished at 2s
            expect 3 starts at 2s
            t=3s change 3 normal links=wifi
            expect 3 stops at 3s
            expect 2 starts at 3s
            expect 3 waits networkKind
            """, configuration: configuration)
    }

    @Test("Settings below one slot count as one")
    func atLeastOne() {
        var configuration = SchedulerConfiguration()
        (configuration.globalSlots, configuration.slotsPerHost) = (0, -3)
        Timeline.run(
            """
            t=0s submit 1 normal
            expect 1 starts at 0s
            """, configuration: configuration)
    }
}
