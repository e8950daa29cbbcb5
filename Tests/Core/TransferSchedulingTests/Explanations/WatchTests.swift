// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

/// §7: The reports of wait reasons to watchers, and the absence of wake-ups without anything to do.
@Suite struct WatchTests {
    @discardableResult
    private static func run(_ text: String, slots: Int = 4, jitter: Duration = .zero) -> Machine {
        var configuration = SchedulerConfiguration()
        configuration.globalSlots = slots
        return Timeline.run(text, configuration: configuration, staggeredStartJitter: jitter, watchesAll: false)
    }

    @Test("An unwatched transfer causes no reports")
    func unwatched() {
        let machine = Self.run(
            """
            given power=battery
            t=0s submit 1 discretionary
            t=1s network none
            t=2s pause 1
            t=3s resume 1
            t=4s hold 1 root backup
            t=5s release 1
            t=6s network full
            t=7s power ac
            t=100s power battery
            expect 1 told
            """)
        #expect(machine.log.contains { $0.effect == .start(TransferID(1)) })
    }

    @Test("A watch reports the reasons immediately and after each change")
    func watched() {
        Self.run(
            """
            given power=battery
            t=0s submit 1 discretionary
            t=10s watch 1
            expect 1 told 10s
            t=11s watch 1
            t=12s link wifi
            t=13s network none
            t=14s pause 1
            t=15s resume 1
            t=16s network full
            expect 1 told 10s,13s,14s,15s,16s
            t=20s power ac
            expect 1 starts at 30s
            t=40s power battery
            expect 1 stops at 45s
            expect 1 told 10s,13s,14s,15s,16s,20s,21s,45s
            t=50s unwatch 1
            t=51s network none
            t=52s watch 1
            expect 1 told 10s,13s,14s,15s,16s,20s,21s,45s,52s
            t=53s cancel 1
            t=54s watch 1
            """)
    }

    @Test("A watch on a running transfer reports nothing until it stops")
    func running() {
        Self.run(
            """
            t=0s submit 1 normal
            t=1s watch 1
            t=2s hold 1 root backup
            t=3s release 1
            t=4s need 1 authentication
            expect 1 told 2s,4s
            """)
    }

    @Test("A watch reports the end of the first debounce; without a watch there is no wake-up")
    func debouncing() {
        let text = """
            given power=battery network=none
            t=0s submit 1 discretionary
            t=0s WATCH 1
            t=10s power ac
            t=12s network full
            expect 1 waits settling,settling
            """
        Self.run(
            text.replacing("WATCH", with: "watch")
                + "\nexpect wake 17s\nexpect 1 starts at 20s\nexpect 1 told 0s,10s,12s,17s")
        Self.run(text.replacing("WATCH", with: "unwatch") + "\nexpect wake 20s\nexpect 1 starts at 20s\nexpect 1 told")
    }

    @Test(
        "A date during a missing condition wakes only for a watch",
        arguments: ["notBefore=100s", "window=100-7200"])
    func behindConditions(date: String) {
        Self.run(
            """
            given metered=yes
            t=0s submit 1 discretionary metered=unmetered \(date)
            expect wake none
            expect quiet until 3h
            """)
        Self.run(
            """
            given metered=yes
            t=0s submit 1 discretionary metered=unmetered \(date)
            t=0s watch 1
            expect wake 100s
            expect quiet until 150s
            expect 1 told 0s,100s
            """)
    }

    @Test("The end of a backoff without a network causes no wake-up")
    func backoffBehindConditions() {
        Self.run(
            """
            t=0s submit 1 normal links=ethernet
            t=0s fail 1 503 retryAfter=100s
            expect wake 100s
            t=10s link wifi
            expect wake none
            t=20s link ethernet
            expect wake 100s
            t=30s link wifi
            t=200s link ethernet
            expect 1 runs
            """)
    }

    @Test("The end of a relaunch delay on a metered network causes no wake-up")
    func delayBehindConditions() {
        Self.run(
            """
            given metered=yes
            t=0s relaunch x
            t=1s submit 1 normal background app=x
            expect wake none
            t=3s metered no
            expect wake 60s
            expect 1 starts at 60s
            """)
    }

    @Test("Full slots request no wake-up; a free slot requests the next usable time")
    func fullSlots() {
        Self.run(
            """
            t=0s submit 3 normal
            t=0s fail 3 503
            t=0s submit 1 normal
            t=0s submit 2 normal notBefore=100s
            t=0s relaunch x
            t=0s submit 4 normal background app=x
            expect wake none
            expect order 3,1
            expect quiet until 200s
            t=201s finish 1
            expect 4 starts at 201s
            """, slots: 1)
    }

    @Test("A watch reports changes of the full slot scope")
    func inLine() {
        var configuration = SchedulerConfiguration()
        (configuration.globalSlots, configuration.slotsPerHost) = (2, 1)
        Timeline.run(
            """
            t=0s submit 1 normal host=h
            t=0s submit 2 normal host=g
            t=1s submit 3 normal host=h
            t=1s watch 3
            expect 3 because waitingForSlot:host:h
            t=2s submit 4 normal host=f
            t=3s change 1 normal host=e
            expect 3 because waitingForSlot:global
            expect 3 told 1s,3s
            t=4s finish 2
            expect 3 told 1s,3s
            """, configuration: configuration, watchesAll: false)
    }

    @Test("The phases of a running transfer cause no wake-up, and its deadline does")
    func runningReevaluations() {
        Self.run(
            """
            t=0s submit 1 discretionary deadline=5000s
            t=0s submit 2 normal window=0-3600
            expect wake 3600s
            t=1s finish 2
            expect wake 5000s
            """)
    }

    @Test("The staggered start wakes only for transfers that may run after it")
    func staggeredDelay() {
        Self.run(
            """
            t=10s network none
            t=10s submit 1 normal links=wifi
            t=20s network full
            expect wake none
            """, jitter: .seconds(5))
    }

    @Test("Free space is measured whether watched or not")
    func room() {
        Self.run(
            """
            t=0s submit 1 normal
            t=0s full 1 needed=10 available=0
            expect wake 15s
            t=1s network none
            expect wake 15s
            """)
    }
}
