// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

@Suite struct ExplanationTests {
    @Test(
        "Each sufficient remedy and its sentence are reported",
        arguments: [
            (
                "power=battery battery=61", "discretionary", "plugIn:10s,wait:259200s",
                "on battery (61 %) since 00:00 (UPower) — starts 10 s after you plug in"
            ),
            (
                "power=battery", "normal power=ac", "plugIn:0s",
                "on battery (80 %) since 00:00 (UPower) — starts as soon as you plug in"
            ),
            (
                "power=unknown", "discretionary", "plugIn:10s,wait:259200s",
                "unknown whether the machine is on AC power since 00:00 (UPower) — starts 10 s after you plug in"
            ),
            (
                "power=battery battery=30", "normal power=50", "plugIn:0s,chargeAbove:50",
                "needs a charge above 50 %; the battery is at 30 % since 00:00 (UPower) — starts as soon as you plug in, "
                    + "or starts when the battery charge is above 50 %"
            ),
            (
                "metered=yes", "normal metered=unmetered", "joinUnmetered:0s",
                "the network is metered since 00:00 (NetworkManager) — starts as soon as you join an unmetered network"
            ),
            (
                "network=none", "discretionary", "joinNetwork:5s",
                "no network since 00:00 (kernel) — starts 5 s after a network becomes available"
            ),
            (
                "network=none", "discretionary links=wifi", "joinKind:wifi:5s",
                "no network since 00:00 (kernel) — starts 5 s after the machine joins Wi-Fi"
            ),
            (
                "network=portal", "normal", "logIn",
                "the network requires a login since 00:00 (kernel) — starts after you log in to the network"
            ),
            (
                "link=cellular", "normal links=wifi+ethernet", "joinKind:ethernet+wifi:0s",
                "needs Ethernet or Wi-Fi; on cellular since 00:00 (kernel) "
                    + "— starts as soon as the machine joins Ethernet or Wi-Fi"
            ),
            (
                "connection=cafe", "normal denied=cafe", "joinAllowed:0s",
                "connection 'cafe' is excluded since 00:00 (NetworkManager) "
                    + "— starts as soon as the machine joins an allowed connection"
            ),
            (
                "connection=cafe", "discretionary allowed=home", "joinAllowed:5s",
                "connection 'cafe' is not in the list of allowed connections since 00:00 (NetworkManager) "
                    + "— starts 5 s after the machine joins an allowed connection"
            ),
            (
                "roaming=yes", "normal noRoaming", "joinAllowed:0s",
                "this transfer may not roam; the machine is roaming since 00:00 (NetworkManager) "
                    + "— starts as soon as the machine joins an allowed connection"
            ),
            (
                "power=ac", "normal notBefore=60s", "wait:60s",
                "not before Mon 23 Nov 00:01:00 — starts Mon 23 Nov 00:01:00"
            ),
            (
                "power=ac", "normal window=3600-7200", "wait:3600s",
                "outside the time window until Mon 23 Nov 01:00:00 — starts Mon 23 Nov 01:00:00"
            ),
        ])
    func remedies(given: String, traits: String, remedies: String, sentence: String) {
        Timeline.run(
            """
            given \(given)
            t=0s submit 1 \(traits)
            expect 1 released \(remedies)
            expect 1 saying \(sentence)
            """)
    }

    @Test("If two conditions are missing, neither alone is offered as a remedy")
    func two() {
        Timeline.run(
            """
            given power=battery metered=yes
            t=0s submit 1 discretionary metered=unmetered
            t=0s submit 2 discretionary notBefore=60s metered=allowed
            expect 1 waits metered,onBattery
            expect 1 released
            expect 2 waits notBefore,onBattery
            expect 2 released wait:259200s
            """)
    }

    @Test("Of two dates, the later is the remedy")
    func twoTimes() {
        Timeline.run(
            """
            t=0s submit 1 normal notBefore=60s window=3600-7200
            expect 1 waits notBefore,outsideWindow
            expect 1 released wait:3600s
            """)
    }

    @Test("A later phase is offered as a remedy in addition to plugging in")
    func deadline() {
        Timeline.run(
            """
            given power=battery battery=30
            t=0s submit 1 discretionary deadline=10000s
            expect 1 released plugIn:10s,wait:5000s
            """)
    }

    @Test("During a power debounce on a metered network, the network is the lasting reason")
    func debounceWithOtherReason() {
        Timeline.run(
            """
            given power=battery metered=yes
            t=0s submit 1 discretionary metered=unmetered
            t=1s power ac
            expect 1 waits metered
            expect 1 released joinUnmetered:10s
            t=1s metered no
            expect 1 starts at 11s
            """)
    }

    @Test("The backoff reason names the attempt, the cause, and the next attempt")
    func backoff() {
        let machine = Timeline.run(
            """
            t=0s submit 1 normal
            t=0s fail 1 503
            expect 1 waits backoff
            """)
        let sentence = machine.explanation(of: TransferID(1))?.sentence(localTime: .utc) ?? ""
        #expect(sentence.hasPrefix("attempt 1 failed: the server answered 503 — starts Mon 23 Nov 00:00:"))
    }

    @Test("Wait reasons are reported once for each change")
    func explainOnce() {
        let machine = Timeline.run(
            """
            given power=battery
            t=0s submit 1 discretionary
            t=1s woken
            t=2s link wifi
            t=3s battery 80
            t=4s network none
            t=5s network none
            """)
        let times = machine.log.filter { $0.effect == .explain(TransferID(1)) }.map(\.time)
        #expect(times == [.zero, .seconds(4)])
    }

    @Test("A reason of the transfer itself keeps its first start time")
    func since() {
        var configuration = SchedulerConfiguration()
        configuration.globalSlots = 1
        let machine = Timeline.run(
            """
            t=0s submit 1 normal
            t=5s submit 2 normal
            t=50s link wifi
            """, configuration: configuration)
        let wait = machine.explanation(of: TransferID(2))?.reasons.first
        #expect(wait?.reason == .waitingForSlot(.global))
        #expect(wait?.since == Machine.start.advanced(by: .seconds(5)))
    }

    @Test("A running transfer has no reasons; an unknown transfer has no explanation")
    func nothing() {
        let machine = Timeline.run("t=0s submit 1 normal")
        #expect(machine.explanation(of: TransferID(1))?.reasons == [])
        #expect(machine.explanation(of: TransferID(2)) == nil)
    }

    @Test("The wait for stable power names the present power source and the length of the wait")
    func stablePower() {
        let until = Machine.start.instant.advanced(by: .seconds(10))
        var explanation = Explanation(
            reasons: [WaitReason(.debouncing(.power, until: until), since: Machine.start, source: .upower)],
            remedies: [], nextReevaluation: nil, isLate: false)
        for (power, words) in [(PowerSource.battery, "on battery"), (.ac, "on AC power"), (.unknown, "power changed")] {
            explanation.power = power
            #expect(explanation.sentence(localTime: .utc) == words + "; waiting 10 s for stable power (UPower)")
        }
        Timeline.run(
            """
            given power=battery
            t=0s submit 1 discretionary
            t=20s power ac
            expect 1 saying on AC power; waiting 10 s for stable power (UPower) — starts Mon 23 Nov 00:00:30
            """)
    }

    @Test("A sentence names a source as its program does")
    func ownSource() {
        let since = ClockReading(instant: Instant(nanoseconds: 0), wall: WallTime(secondsSinceEpoch: 0))
        let fact = Fact(PowerSource.battery, source: FactSource(named: "battery gauge"), since: since)
        #expect(
            WaitReason(.onBattery(level: 61), from: fact).sentence(localTime: .utc)
                == "on battery (61 %) since 00:00 (battery gauge)")
    }
}
