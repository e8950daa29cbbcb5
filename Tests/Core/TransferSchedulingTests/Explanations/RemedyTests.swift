// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

/// §6: All reasons of a transfer together, and the smallest single change that would release the transfer.
@Suite struct RemedyTests {
    @Test("All reasons are reported together, in a fixed order")
    func allAtOnce() {
        Timeline.run(
            """
            given power=battery metered=yes link=cellular connection=cafe
            t=0s budget app=x limit=0
            t=0s relaunch x
            t=1s submit 1 normal background app=x links=wifi denied=cafe notBefore=500s window=3600-7200 metered=unmetered
            t=1s hold 1 root backup
            t=1s need 1 delayedBegin
            expect 1 waits rateLimited,networkKind,connectionDenied,metered,held,needsApp,budgetSpent,notBefore,outsideWindow,onBattery
            expect 1 released
            expect 1 jointly openApp,joinKind:wifi:0s,release:root,plugIn:0s after 3599s by date
            """)
    }

    @Test("Each reason of the transfer itself has its remedy")
    func ownReasons() {
        Timeline.run(
            """
            t=0s submit 1 normal
            t=0s submit 2 normal
            t=0s submit 3 normal
            t=0s submit 4 normal
            t=1s pause 1
            expect 1 released resume
            t=1s fail 2 503 retryAfter=100s
            expect 2 released wait:101s
            expect 2 looked 101s
            t=1s full 3 needed=10 available=4
            expect 3 released freeSpace:6
            t=1s hold 4 root backup
            expect 4 released release:root
            """)
    }

    @Test("If a condition is also missing, no remedy of the transfer alone is offered")
    func withConditions() {
        Timeline.run(
            """
            given network=none
            t=0s relaunch x
            t=1s submit 1 normal background app=x
            t=1s submit 2 normal
            t=1s hold 2 root backup
            t=1s submit 3 normal
            t=1s need 3 authentication
            t=1s submit 4 normal
            t=1s pause 4
            expect 1 released
            expect 2 released
            expect 3 released
            expect 4 released
            """)
    }

    @Test("If no single change starts a transfer, the changes that do so together are named")
    func joint() {
        Timeline.run(
            """
            given power=battery metered=yes
            t=0s submit 1 discretionary metered=unmetered
            expect 1 released
            expect 1 jointly joinUnmetered:0s,plugIn:0s after 10s
            expect 1 saying the network is metered since 00:00 (NetworkManager); on battery (80 %) since 00:00 (UPower) — starts 10 s after you join an unmetered network and plug in
            t=1s submit 2 normal power=ac notBefore=3600s
            expect 2 jointly plugIn:0s after 3599s by date
            expect 2 saying on battery (80 %) since 00:00 (UPower); not before Mon 23 Nov 01:00:00 — starts Mon 23 Nov 01:00:00 if you plug in before
            t=2s submit 3 normal power=ac
            expect 3 jointly
            t=2s submit 4 normal power=ac
            t=2s pause 4
            expect 4 jointly resume,plugIn:0s after 0s
            t=3s metered no
            t=3s power ac
            expect 1 starts at 13s
            t=20s power battery
            t=3598s power ac
            expect 2 starts at 3600s
            """)
    }

    @Test("A joint remedy is left out if time alone starts the transfer as early")
    func jointAndTime() {
        Timeline.run(
            """
            given power=battery metered=yes
            t=0s submit 1 discretionary notBefore=259200s metered=allowed
            expect 1 released wait:259200s
            expect 1 jointly
            """)
    }

    @Test("Opening the app completes its action and ends its delay")
    func app() {
        Timeline.run(
            """
            t=0s relaunch x
            t=1s submit 1 normal background app=x
            t=1s need 1 delayedBegin
            expect 1 waits rateLimited,needsApp
            expect 1 released openApp
            t=2s answer 1
            expect 1 released openApp,wait:60s
            """)
    }

    @Test("The remedy for a staggered start or a debounce is to wait")
    func debouncing() {
        Timeline.run(
            """
            given power=battery
            t=0s submit 1 discretionary
            t=5s power ac
            expect 1 because settling:power:15s
            expect 1 released wait:15s
            expect 1 looked 15s
            """)
    }

    @Test("Without a free slot, only the end of another transfer helps")
    func slot() {
        var configuration = SchedulerConfiguration()
        configuration.globalSlots = 1
        Timeline.run(
            """
            t=0s submit 1 normal
            t=0s submit 2 normal
            expect 2 released slot
            expect 2 looked never
            """, configuration: configuration)
    }

    @Test("The predicted hour is named only if power or an unmetered network is missing")
    func chance() {
        // An unmetered network from 03:00 to 04:00 every night.
        var text = "given metered=yes\n"
        for day in 0..<22 {
            text += "t=\(day * 86_400 + 10_800)s metered no\nt=\(day * 86_400 + 14_400)s metered yes\n"
        }
        Timeline.run(
            text + """
                t=1900800s submit 1 discretionary
                t=1900800s submit 2 normal metered=unmetered
                t=1900800s submit 3 normal notBefore=2000000s
                t=1900800s submit 4 normal links=wifi
                expect 1 waits metered
                expect 1 chance 1911600s
                expect 2 chance 1911600s
                expect 3 chance none
                expect 4 chance none
                t=1911601s woken
                expect 1 chance 1998000s
                """)
    }

    @Test("A late transfer is marked, waiting or running")
    func late() {
        Timeline.run(
            """
            given metered=yes
            t=0s submit 1 discretionary deadline=100s
            t=0s submit 2 normal deadline=100s
            t=101s woken
            expect 1 late
            expect 2 late
            """)
    }
}
