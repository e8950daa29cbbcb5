// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

@Suite struct StartDebounceTests {
    @Test("A transfer waits on battery and starts exactly 10 s after AC power returns")
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

    @Test("Initial conditions need no debounce")
    func stableAtStart() {
        Timeline.run(
            """
            t=0s submit 1 discretionary
            expect 1 starts at 0s
            """)
    }

    @Test("AC power lost for less than 5 s stops nothing")
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

    @Test("AC power lost stops a transfer after exactly 5 s")
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

    @Test("A change from battery to unknown does not restart the hysteresis")
    func hysteresisIsNotExtended() {
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

    @Test("A falling battery level does not extend the hysteresis")
    func hysteresisWithFallingLevel() {
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

    @Test("A link that becomes metered stops immediately; unmetered, it starts after exactly 5 s")
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

    @Test("A lost link stops immediately; without a network, the price is not a reason")
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

    @Test("Power and network are debounced in parallel, each with its own reason")
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

    @Test("A transfer with a date waits for its own debounce, and not for a longer one of a similar transfer")
    func ownDebounce() {
        // Transfer 2 is past its deadline, so it needs no AC power.
        Timeline.run(
            """
            given power=battery
            t=0s submit 1 discretionary deadline=71h
            t=0s submit 2 discretionary deadline=10s notBefore=50s
            t=0s unwatch 1
            t=0s unwatch 2
            t=20s network none
            t=46s network full
            t=46s power ac
            expect wake 51s
            expect 2 starts at 51s
            expect 1 starts at 56s
            """, policy: LadderPolicy())
    }

    @Test("Only discretionary work waits for the debounce", arguments: ["normal", "userInitiated"])
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

    @Test("A flapping power supply causes no start until it is stable", arguments: [1, 6, 9])
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

    @Test("A hundred short losses cause no restart")
    func flappingWhileRunning() {
        Timeline.run(
            """
            t=0s submit 1 discretionary
            t=0s flap power 100 times 4s
            expect 1 started 1
            expect 1 runs
            """)
    }

    @Test("A loopback server needs no network and costs nothing")
    func loopback() {
        Timeline.run(
            """
            given network=none metered=yes
            t=0s submit 1 discretionary metered=unmetered loopback
            expect 1 starts at 0s
            """)
    }

    @Test("Link kinds that are not allowed block; a change to an allowed kind is debounced")
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

    @Test("A captive portal does not count as a network")
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
        "For an unknown price, the link kind decides",
        arguments: [("ethernet", true), ("wifi", true), ("cellular", false), ("unknown", false)])
    func unknownPrice(kind: String, mayRun: Bool) {
        Timeline.run(
            """
            given metered=unknown link=\(kind)
            t=0s submit 1 discretionary metered=unmetered
            expect 1 \(mayRun ? "runs" : "waits metered")
            """)
    }

    @Test("The facts of a source that compares no readings, and dates none, are debounced by the scheduler")
    func sourceWithoutMemory() {
        func at(_ power: PowerSource) -> Fact<PowerSource> { Fact(power, source: .upower, since: Machine.start) }
        var conditions = Machine.goodConditions()
        conditions.power = at(.battery)
        let machine = Machine(conditions: conditions)
        var traits = TransferTraits(kind: .discretionary)
        traits.submitted = Machine.start.wall
        machine.apply(.submitted(TransferID(1), traits))
        machine.advance(to: .seconds(30))
        machine.change { conditions, _ in conditions.power = at(.ac) }
        machine.advance(to: .seconds(35))
        // An equal snapshot does not begin the debounce again.
        machine.change { conditions, _ in conditions.battery.value = BatteryState(level: 81) }
        machine.advance(to: .seconds(39))
        #expect(machine.attempts.isEmpty)
        machine.advance(to: .seconds(40))
        #expect(machine.attempts.keys.sorted() == [TransferID(1)])
    }

    @Test("A change that a source has dated itself keeps its date")
    func datedChange() {
        var conditions = Machine.goodConditions()
        conditions.power = Fact(.battery, source: .upower, since: Machine.start)
        let machine = Machine(conditions: conditions)
        machine.advance(to: .seconds(20))
        machine.change { conditions, now in
            conditions.power = Fact(.ac, source: .upower, since: now.advanced(by: .seconds(-4)))
        }
        machine.apply(.submitted(TransferID(1), TransferTraits(kind: .discretionary)))
        machine.advance(to: .seconds(25))
        #expect(machine.attempts.isEmpty)
        machine.advance(to: .seconds(26))
        #expect(!machine.attempts.isEmpty)
    }
}
