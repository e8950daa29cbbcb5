// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

@Suite struct SettlingTests {
    @Test("On battery it waits; plugged in, it starts after exactly 10 s")
    func plugIn() {
        Timeline.run(
            """
            given power=battery
            t=0s   submit 1 discretionary
            expect 1 waits onBattery
            expect quiet until 30s
            t=30s  power ac
            expect 1 waits settling
            expect 1 starts at 40s
            """)
    }

    @Test("What the machine is like at the start counts as settled")
    func settledAtStart() {
        Timeline.run(
            """
            t=0s submit 1 discretionary
            expect 1 starts at 0s
            """)
    }

    @Test("AC that is lost and back within 5 s stops nothing")
    func shortLoss() {
        Timeline.run(
            """
            t=0s submit 1 discretionary
            expect 1 starts at 0s
            t=20s power battery
            t=24.999s power ac
            expect quiet until 100s
            expect 1 runs
            """)
    }

    @Test("AC that is lost stops it after exactly 5 s")
    func loss() {
        Timeline.run(
            """
            t=0s submit 1 discretionary
            expect 1 starts at 0s
            t=20s power battery
            expect 1 runs
            expect 1 stops at 25s
            expect 1 waits onBattery
            """)
    }

    @Test("Power that goes from battery to unknown and back is missing all the time: the grace does not begin anew")
    func graceIsNotProlonged() {
        Timeline.run(
            """
            t=0s submit 1 discretionary
            expect 1 starts at 0s
            t=20s power battery
            t=22s power unknown
            t=24s power battery
            expect 1 stops at 25s
            """)
    }

    @Test("A level that goes on falling does not prolong the grace")
    func graceWithFallingLevel() {
        Timeline.run(
            """
            given power=battery battery=60
            t=0s submit 1 normal power=50
            expect 1 starts at 0s
            t=10s battery 50
            t=13s battery 49
            expect 1 stops at 15s
            """)
    }

    @Test("A link that turns metered stops it at once; unmetered again, it starts after exactly 5 s")
    func metered() {
        Timeline.run(
            """
            t=0s submit 1 discretionary metered=unmetered
            expect 1 starts at 0s
            t=20s metered yes
            expect 1 stops at 20s
            expect 1 waits metered
            t=50s metered no
            expect 1 waits settling
            expect 1 starts at 55s
            """)
    }

    @Test("A link that vanishes stops it at once, and metered is no reason where there is no network")
    func vanished() {
        Timeline.run(
            """
            t=0s submit 1 discretionary metered=unmetered
            expect 1 starts at 0s
            t=20s network none
            expect 1 stops at 20s
            expect 1 waits noNetwork
            t=30s network full
            expect 1 starts at 35s
            """)
    }

    @Test("Power and network settle side by side, and each reason goes when its own time is over")
    func both() {
        Timeline.run(
            """
            given power=battery metered=yes
            t=0s submit 1 discretionary metered=unmetered
            expect 1 waits metered,onBattery
            t=10s power ac
            t=10s metered no
            expect 1 waits settling,settling
            expect wake 15s
            t=15s woken
            expect 1 waits settling
            expect 1 starts at 20s
            """)
    }

    @Test("Only discretionary work waits for things to settle", arguments: ["normal", "userInitiated"])
    func othersAtOnce(kind: String) {
        Timeline.run(
            """
            given power=battery network=none
            t=0s submit 1 \(kind)
            t=0s submit 2 \(kind) power=ac
            expect 1 waits noNetwork
            t=10s network full
            expect 1 starts at 10s
            t=20s power ac
            expect 2 starts at 20s
            """)
    }

    @Test("Unknown power is never AC", arguments: ["discretionary", "normal power=ac", "userInitiated power=50"])
    func unknownPower(words: String) {
        Timeline.run(
            """
            given power=unknown battery=100
            t=0s submit 1 \(words)
            expect 1 waits powerUnknown
            expect quiet until 71h
            """)
    }

    @Test("Power that becomes unknown while it runs stops it after 5 s")
    func becomesUnknown() {
        Timeline.run(
            """
            t=0s submit 1 discretionary
            expect 1 starts at 0s
            t=20s power unknown
            expect 1 stops at 25s
            expect 1 waits powerUnknown
            """)
    }

    @Test("A supply that flaps a hundred times makes no start while it does, and one afterwards", arguments: [1, 6, 9])
    func flapping(seconds: Int) {
        Timeline.run(
            """
            given power=battery
            t=0s submit 1 discretionary
            t=0s flap power 100 times \(seconds)s
            expect quiet
            expect 1 started 0
            expect 1 starts at \(200 * seconds + 10)s
            """)
    }

    @Test("A hundred short losses while it runs make no further start")
    func flappingWhileRunning() {
        Timeline.run(
            """
            t=0s submit 1 discretionary
            t=0s flap power 100 times 4s
            expect 1 started 1
            expect 1 runs
            """)
    }

    @Test("A server on this machine needs no network and costs nothing")
    func loopback() {
        Timeline.run(
            """
            given network=none metered=yes
            t=0s submit 1 discretionary metered=unmetered loopback
            expect 1 starts at 0s
            """)
    }

    @Test("Kinds of link that are not allowed hold it; a change to an allowed one settles first")
    func linkKinds() {
        Timeline.run(
            """
            given link=cellular
            t=0s submit 1 discretionary links=wifi+ethernet
            expect 1 waits networkKind
            t=10s link wifi
            expect 1 starts at 15s
            t=30s link cellular
            expect 1 stops at 30s
            """)
    }

    @Test("A captive portal is no network")
    func portal() {
        Timeline.run(
            """
            given network=portal
            t=0s submit 1 userInitiated
            expect 1 waits captivePortal
            t=9s network limited
            expect 1 starts at 9s
            """)
    }

    @Test(
        "An unknown price counts by the kind of link",
        arguments: [("ethernet", true), ("wifi", true), ("cellular", false), ("unknown", false)])
    func unknownPrice(kind: String, mayRun: Bool) {
        Timeline.run(
            """
            given metered=unknown link=\(kind)
            t=0s submit 1 discretionary metered=unmetered
            expect 1 \(mayRun ? "runs" : "waits metered")
            """)
    }
}
