// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

@Suite struct DateTests {
    @Test("A transfer starts exactly at its earliest start date")
    func notBefore() {
        Timeline.run(
            """
            t=0s submit 1 userInitiated notBefore=100s
            expect 1 waits notBefore
            expect wake 100s
            expect quiet until 99.999999999s
            expect 1 starts at 100s
            """)
    }

    @Test("A wall clock set forward past the date starts the transfer; set back, it waits longer")
    func wallClock() {
        Timeline.run(
            """
            t=0s submit 1 userInitiated notBefore=100s
            t=10s wall 60s
            expect wake 40s
            t=11s wall -30s
            expect wake 70s
            expect quiet until 69s
            expect 1 starts at 70s
            t=80s submit 2 userInitiated notBefore=1000s
            t=81s wall 1h
            expect 2 starts at 81s
            """)
    }

    @Test("After half of the time, a battery above 20 % is enough; in the last 3.5 hours, any")
    func laterRows() {
        Timeline.run(
            """
            given power=battery battery=21
            t=0s submit 1 discretionary deadline=40000s
            expect 1 waits onBattery
            expect wake 20000s
            expect 1 starts at 20000s
            t=20100s battery 20
            expect 1 stops at 20105s
            expect 1 waits batteryLow
            expect wake 27246.4s
            expect 1 starts at 27246.4s
            t=40001s woken
            expect 1 late
            """)
    }

    @Test("The time to the deadline counts from the earliest start date if it is later")
    func countsFromNotBefore() {
        Timeline.run(
            """
            given power=battery battery=90
            t=0s submit 1 discretionary notBefore=600s deadline=1000s
            expect 1 waits notBefore,onBattery
            expect 1 starts at 800s
            """, policy: LadderPolicy())
    }

    @Test("No deadline makes a transfer use a metered network")
    func meteredIsHard() {
        Timeline.run(
            """
            given metered=guessYes
            t=0s submit 1 discretionary deadline=100s metered=unmetered
            t=0s submit 2 discretionary deadline=100s
            expect quiet until 100h
            expect 1 waits metered
            expect 1 late
            expect wake none
            """)
    }

    @Test("A deadline during the power debounce starts the transfer")
    func deadlineDuringDebounce() {
        Timeline.run(
            """
            given power=unknown
            t=0s submit 1 discretionary deadline=100s size=0
            t=95s power ac
            expect 1 waits settling
            expect 1 starts at 100s
            """, policy: HorizonPolicy(floor: .zero))
    }

    @Test("On AC power, phases cause no re-evaluation, and only the deadline is checked")
    func noIdleReevaluations() {
        Timeline.run(
            """
            t=0s submit 1 discretionary deadline=1000s
            expect 1 starts at 0s
            expect wake 1000s
            """)
    }

    @Test("In its last chance, a transfer starts on any battery and continues")
    func lastChance() {
        Timeline.run(
            """
            t=0s submit 1 discretionary deadline=10000s size=20000
            expect 1 starts at 0s
            t=10s progress 1 100 of 20000
            t=100s progress 1 1000 of 20000
            t=101s battery 5
            t=101s power battery
            expect 1 stops at 106s
            t=106s woken
            expect 1 waits onBattery
            expect 1 starts at 7150s
            t=7200s progress 1 8000 of 20000
            t=7201s battery 4
            expect 1 runs
            t=7500s progress 1 15000 of 20000
            t=7501s battery 3
            t=7600s woken
            expect 1 runs
            expect 1 started 2
            """, policy: HorizonPolicy(floor: .zero))
    }

    @Test("A transfer runs only within its windows and stops when they close")
    func windows() {
        Timeline.run(
            """
            t=0s submit 1 userInitiated window=3600-7200
            expect 1 waits outsideWindow
            expect 1 starts at 1h
            expect wake 7200s
            expect 1 stops at 2h
            expect 1 starts at 169h
            """)
    }

    @Test("A window across the week's end")
    func windowAcrossTheWeek() {
        Timeline.run(
            """
            t=0s submit 1 userInitiated window=601200-608400
            expect 1 starts at 0s
            expect 1 stops at 1h
            expect 1 starts at 167h
            expect 1 stops at 169h
            """)
    }

    @Test("A new size changes nothing without a deadline")
    func newSize() {
        Timeline.run(
            """
            t=0s submit 1 discretionary
            expect 1 starts at 0s
            t=5s progress 1 10 of 100
            expect wake none
            expect quiet until 100s
            """)
    }
}
