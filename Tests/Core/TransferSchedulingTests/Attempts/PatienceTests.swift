// SPDX-License-Identifier: Apache-2.0

import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

/// The scheduler's three-day rule, and the statistics that the scheduler collects for it.
@Suite struct PatienceTests {
    @Test("The policy waits three days for AC power, to the second, and forever for unmetered")
    func never() {
        Timeline.run(
            """
            given power=battery
            t=0s submit 1 discretionary
            expect 1 waits onBattery
            expect wake 259200s
            expect 1 starts at 259200s
            t=259201s submit 2 discretionary
            expect 2 starts at 259201s
            t=259250s cancel 2
            t=259300s metered yes
            expect 1 stops at 259300s
            expect 1 waits metered
            expect quiet until 2000h
            """)
    }

    @Test("AC power in between restarts the three days")
    func seen() {
        Timeline.run(
            """
            given power=battery
            t=0s submit 1 discretionary
            t=100000s power ac
            t=100001s power battery
            expect quiet until 359200s
            expect 1 starts at 359201s
            t=359300s power ac
            t=359400s power battery
            expect 1 stops at 359405s
            """)
    }

    @Test("Time asleep does not count")
    func asleep() {
        Timeline.run(
            """
            given power=battery
            t=0s submit 1 discretionary
            t=1000s sleep about-to-sleep
            expect wake none
            t=501000s sleep awake
            expect wake 759200s
            expect 1 starts at 759200s
            """)
    }

    @Test("Statistics survive a restart of the process")
    func restart() {
        let machine = Timeline.run(
            """
            given power=battery
            t=0s submit 1 discretionary
            t=200000s woken
            """)
        machine.restart(policy: PatiencePolicy())
        machine.apply(
            .submitted(
                TransferID(2), TransferTraits(kind: .discretionary, host: "h", submitted: machine.now.wall)))
        machine.advance(to: .seconds(259_199))
        #expect(!machine.occupiesSlot(TransferID(2)))
        machine.advance(to: .seconds(259_200))
        #expect(machine.occupiesSlot(TransferID(2)))
    }

    @Test("Each fact has its own hysteresis and its own debounce")
    func perFact() {
        var configuration = SchedulerConfiguration()
        configuration.meteredHysteresis = .seconds(7)
        configuration.connectionHysteresis = .seconds(2)
        configuration.linkKindDebounce = .seconds(30)
        Timeline.run(
            """
            t=0s submit 1 discretionary denied=cafe
            expect 1 starts at 0s
            t=10s metered yes
            expect 1 stops at 17s
            t=20s metered no
            expect 1 starts at 25s
            t=40s connection cafe
            expect 1 stops at 42s
            t=50s connection home
            t=51s link wifi
            expect 1 starts at 81s
            """, configuration: configuration)
    }

    @Test("If network and power are lost together, the shorter hysteresis decides")
    func shorterHysteresis() {
        Timeline.run(
            """
            t=0s submit 1 discretionary
            expect 1 starts at 0s
            t=10s power battery
            t=11s metered yes
            expect 1 stops at 11s
            """)
    }
}
