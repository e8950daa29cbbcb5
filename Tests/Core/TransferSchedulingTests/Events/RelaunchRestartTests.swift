// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

/// R5: The delays of the relaunch limiter survive restarts and clock changes. Also tests the actions of people on
/// delays.
@Suite struct RelaunchRestartTests {
    @Test("A restart of the process keeps the delay, its start, and its transfers (R5)")
    func restart() {
        Timeline.run(
            """
            t=0s relaunch x
            t=1s relaunch x
            t=2s submit 1 normal background app=x session=s
            t=3s submit 2 normal app=x session=s
            t=30s crash
            expect delay x 120s
            expect 1 because rateLimited:120s:2:121s
            expect 2 runs
            t=31s submit 3 normal background app=x
            expect 3 because rateLimited:120s:2:121s
            expect 1 starts at 121s
            t=200s crash
            expect delay x 120s
            expect 1 runs
            t=201s cancel 3
            t=201s finish 2
            t=202s finish 1
            expect delay x 120s
            t=203s relaunch x
            expect delay x 240s
            """)
    }

    @Test("A reboot keeps the delay, and nothing waits longer than its delay from then on (R5)")
    func reboot() {
        let machine = Timeline.run(
            """
            t=0s relaunch x
            t=1s relaunch x
            t=2s submit 1 normal background app=x
            t=11s woken
            """)
        let statistics = machine.scheduler.statistics(at: machine.now, boot: "first")
        // The clock of the new boot is at 5 s, and the machine was off for 20 s.
        let now = ClockReading(
            instant: Instant(nanoseconds: 5_000_000_000), wall: machine.now.wall.advanced(by: .seconds(20)))
        var scheduler = Scheduler(statistics: statistics, boot: "second", startingAt: now)
        var generator = SplitMix64(seed: 1)
        _ = scheduler.apply(.conditionsChanged(Machine.goodConditions(at: now)), at: now, using: &generator)
        guard let (traits, state) = machine.store[TransferID(1)] else { return #expect(Bool(false)) }
        let effects = scheduler.apply(.recovered(TransferID(1), traits, state), at: now, using: &generator)
        // 110 s were left, of which 20 s have passed.
        #expect(effects == [.wake(now.instant.advanced(by: .seconds(90)))])
        #expect(scheduler.relaunchDelay(of: "x", at: now)?.delay == .seconds(120))
    }

    @Test("A delay unknown to the limiter delays nothing (R5)")
    func unknownDelay() {
        let machine = Machine()
        let traits = TransferTraits(
            kind: .normal, host: "h", app: "x", submitted: machine.now.wall, isFromBackground: true)
        machine.apply(.recovered(TransferID(1), traits, RecoveredState(relaunchDelay: .init(relaunch: 7))))
        #expect(machine.occupiesSlot(TransferID(1)))
    }

    @Test("A wall clock jump neither shortens nor extends the delay (R5)")
    func wallClock() {
        Timeline.run(
            """
            t=0s relaunch x
            t=1s submit 1 normal background app=x
            t=10s wall 3600s
            expect 1 because rateLimited:60s:1:3660s
            expect quiet until 20s
            t=20s wall -36000s
            expect 1 because rateLimited:60s:1:-32340s
            expect wake 60s
            expect 1 starts at 60s
            """)
    }

    @Test("Time asleep counts toward the delay (R5)")
    func asleep() {
        Timeline.run(
            """
            t=0s relaunch x
            t=1s submit 1 normal background app=x
            t=2s sleep about-to-sleep
            t=2.5s network none
            t=500s network full
            t=500s sleep awake
            expect 1 waits settling
            expect 1 starts at 505s
            """)
    }

    @Test("Missing conditions are reported with the delay and outlast it")
    func besideConditions() {
        Timeline.run(
            """
            given power=battery
            t=0s relaunch x
            t=1s submit 1 normal background app=x
            expect 1 waits rateLimited,onBattery
            t=60s woken
            expect 1 waits onBattery
            t=70s power ac
            expect 1 starts at 80s
            """)
    }

    @Test("A user's start ends the delay, but the limiter still counts the end (R4)")
    func startNow() {
        Timeline.run(
            """
            t=0s relaunch x
            t=1s submit 1 normal background app=x session=s
            t=10s change 1 userInitiated app=x session=s
            expect 1 starts at 10s
            t=100s woken
            expect delay x 60s
            t=110s finish 1
            expect delay x 60s
            t=111s abandon x
            expect delay x 0s
            """)
    }

    @Test("A transfer started by a user does not wait again after a restart")
    func startNowAndRestart() {
        Timeline.run(
            """
            given network=none
            t=0s relaunch x
            t=1s submit 1 normal background app=x session=s
            t=10s change 1 userInitiated app=x session=s
            expect 1 waits noNetwork
            t=20s crash
            expect 1 waits noNetwork
            t=21s network full
            expect 1 starts at 21s
            """)
    }

    @Test("A change that keeps background work keeps its delay")
    func otherChange() {
        Timeline.run(
            """
            t=0s relaunch x
            t=1s submit 1 normal background app=x
            t=10s change 1 normal background app=x priority=900
            expect 1 because rateLimited:60s:1:60s
            expect 1 starts at 60s
            """)
    }

    @Test("A paused or blocked transfer keeps its release date")
    func pausedBeside() {
        Timeline.run(
            """
            t=0s relaunch x
            t=1s submit 1 normal background app=x
            t=1s submit 2 normal background app=x
            t=2s pause 1
            t=2s hold 2 root backup
            t=90s resume 1
            expect 1 starts at 90s
            t=95s release 2
            expect 2 starts at 95s
            """)
    }

    @Test("The sentence names the relaunch delay and its remedy")
    func explained() {
        Timeline.run(
            """
            t=0s relaunch x
            t=1s submit 1 normal background app=x
            expect 1 released openApp,wait:60s
            expect 1 looked 60s
            expect 1 saying relaunch limit: the app was started once for ended transfers; its new background transfers wait 60 s — starts after you open the app, or starts Mon 23 Nov 00:01:00
            """)
    }
}
