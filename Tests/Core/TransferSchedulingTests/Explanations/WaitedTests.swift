// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

/// §6: The time spent under each reason.
@Suite struct WaitedTests {
    @Test(
        "The waiting time is reported per condition, to the nanosecond",
        arguments: [
            ("power=battery", "discretionary", "onBattery"), ("power=unknown", "discretionary", "powerUnknown"),
            ("power=battery battery=30", "normal power=50", "batteryLow"),
            ("metered=yes", "normal metered=unmetered", "metered"), ("network=none", "normal", "noNetwork"),
            ("network=portal", "normal", "captivePortal"), ("link=cellular", "normal links=wifi", "networkKind"),
            ("connection=cafe", "normal denied=cafe", "connectionDenied"),
        ])
    func conditions(given: String, traits: String, code: String) {
        Timeline.run(
            """
            given \(given)
            t=5s submit 1 \(traits)
            expect 1 waited
            t=17.000000001s woken
            expect 1 waited \(code)=12.000000001s
            t=20s battery 31
            t=30s battery 32
            expect 1 waited \(code)=25s
            """)
    }

    @Test("Dates and windows count while they lie ahead; overlapping time counts for both")
    func dates() {
        Timeline.run(
            """
            given power=battery
            t=0s submit 1 discretionary notBefore=60s
            t=0s submit 2 discretionary window=100-7200
            t=0s submit 3 discretionary notBefore=60s window=100-7200
            t=300s woken
            expect 1 waited notBefore=60s,onBattery=300s
            expect 2 waited onBattery=300s,outsideWindow=100s
            expect 3 waited notBefore=60s,onBattery=300s,outsideWindow=100s
            """)
    }

    @Test("Intermittent conditions add up, and debounce time counts separately")
    func debouncing() {
        Timeline.run(
            """
            given power=battery
            t=0s submit 1 discretionary
            t=10s power ac
            t=16s power battery
            t=20s power ac
            t=23s woken
            expect 1 waited onBattery=14s,settling=9s
            """)
    }

    @Test("Time without a slot counts from the permission to run")
    func slots() {
        var configuration = SchedulerConfiguration()
        configuration.globalSlots = 1
        Timeline.run(
            """
            given network=none
            t=0s submit 1 normal
            t=0s submit 2 normal
            t=10s network full
            t=17s woken
            expect 2 waited noNetwork=10s,waitingForSlot=7s
            t=20s finish 1
            t=50s hold 2 root backup
            t=54s woken
            expect 2 waited held=4s,noNetwork=10s,waitingForSlot=10s
            """, configuration: configuration)
    }

    @Test("Backoff time ends with the backoff or its early end")
    func backoff() {
        Timeline.run(
            """
            t=0s submit 1 normal
            t=10s fail 1 503 retryAfter=100s
            t=15s woken
            expect 1 waited backoff=5s
            t=200s fail 1 503 retryAfter=100s
            t=220s resume 1
            t=230s pause 1
            t=231s woken
            expect 1 waited backoff=120s,suspended=1s
            """)
    }

    @Test("Time for missing space, pauses, blocks, and app actions is counted")
    func ownReasons() {
        Timeline.run(
            """
            t=0s submit 1 normal
            t=10s full 1 needed=10 available=0
            t=20s woken
            expect 1 waited storageLow=10s
            t=20s room 10
            t=25s pause 1
            expect 1 waited storageLow=15s
            t=32s resume 1
            t=40s hold 1 root backup
            t=43s release 1
            t=50s need 1 authentication
            t=52s answer 1
            t=60s hold 1 root backup
            t=61s woken
            expect 1 waited held=4s,needsApp=2s,storageLow=15s,suspended=7s
            """)
    }

    @Test("A relaunch delay counts from its assignment to its end")
    func relaunchDelay() {
        Timeline.run(
            """
            given power=battery
            t=0s relaunch x
            t=5s submit 1 normal background app=x
            t=25s woken
            expect 1 waited onBattery=20s,rateLimited=20s
            t=100s woken
            expect 1 waited onBattery=95s,rateLimited=55s
            """)
    }

    @Test("A relaunch delay that ends early counts until then")
    func relaunchDelayFreed() {
        Timeline.run(
            """
            t=0s relaunch x
            t=5s submit 1 normal background app=x
            t=25s front x
            t=30s pause 1
            t=31s woken
            expect 1 waited rateLimited=20s,suspended=1s
            """)
    }

    @Test("The staggered start after an outage counts as debounce")
    func staggeredDelay() {
        var generator = SplitMix64(seed: 1)
        let staggeredDelay = Timeline.text(.nanoseconds(Int64.random(in: 0...5_000_000_000, using: &generator)))
        let later = Timeline.text(Timeline.duration(staggeredDelay[...])! + .seconds(30))
        Timeline.run(
            """
            given network=none
            t=0s submit 1 normal
            t=20s network full
            t=30s pause 1
            t=40s woken
            expect 1 waited noNetwork=20s,settling=\(staggeredDelay),suspended=10s
            t=\(later) woken
            """, staggeredStartJitter: .seconds(5))
    }

    @Test("Exhausted budgets and too short windows count too")
    func budgetAndWindow() {
        Timeline.run(
            """
            given metered=yes
            t=0s submit 9 normal
            t=1s progress 9 1000
            t=2s finish 9
            t=2s submit 1 normal window=0-3600 size=3599000
            t=12s budget app=x limit=0
            t=12s submit 2 normal app=x
            t=20s woken
            expect 1 waited windowTooShort=18s
            expect 2 waited budgetSpent=8s
            """)
    }

    @Test("Overlapping pauses are not subtracted twice from the time without a slot")
    func overlapping() {
        var configuration = SchedulerConfiguration()
        configuration.globalSlots = 1
        Timeline.run(
            """
            t=0s submit 1 normal
            t=0s submit 2 normal
            t=10s pause 2
            t=10s hold 2 root backup
            t=30s release 2
            t=30s resume 2
            t=50s woken
            expect 2 waited held=20s,suspended=20s,waitingForSlot=30s
            """, configuration: configuration)
    }

    @Test("Running time does not count as waiting time")
    func ranBetween() {
        Timeline.run(
            """
            given power=battery
            t=0s submit 1 discretionary
            t=10s power ac
            t=20s woken
            expect 1 runs
            t=100s power battery
            t=110s woken
            expect 1 waited onBattery=15s,settling=10s
            """)
    }
}
