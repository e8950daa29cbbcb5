// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

/// R5: The delays of the relaunch limiter survive restarts and clock changes. Also tests the actions of people on
/// delays.
@Suite struct RelaunchRestartTests {
    @Test("A restart of the process keeps the delay, its start, and what it holds (R5)")
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

    @Test("A reboot keeps it as well, and holds nothing longer than its delay from then on (R5)")
    func reboot() {
        let machine = Timeline.run(
            """
            t=0s relaunch x
            t=1s relaunch x
            t=2s submit 1 normal background app=x
            t=11s woken
            """)
        let learned = machine.scheduler.learned(at: machine.now, boot: "first")
        // The clock of the new boot is at 5 s, and the machine was off for 20 s.
        let now = Moment(
            instant: Instant(nanoseconds: 5_000_000_000), wall: machine.now.wall.advanced(by: .seconds(20)))
        var scheduler = Scheduler(learned: learned, boot: "second", startingAt: now)
        var generator = SplitMix64(seed: 1)
        _ = scheduler.apply(.conditionsChanged(Machine.goodConditions(at: now)), at: now, using: &generator)
        guard let (traits, state) = machine.store[TransferID(1)] else { return #expect(Bool(false)) }
        let effects = scheduler.apply(.recovered(TransferID(1), traits, state), at: now, using: &generator)
        // 110 s were left, of which 20 s have passed.
        #expect(effects == [.wake(now.instant.advanced(by: .seconds(90)))])
        #expect(scheduler.relaunchDelay(of: "x", at: now)?.delay == .seconds(120))
    }

    @Test("A hold that no limiter knows any more holds nothing (R5)")
    func unknownHold() {
        let machine = Machine()
        let traits = TransferTraits(
            kind: .normal, host: "h", app: "x", submitted: machine.now.wall, isFromBackground: true)
        machine.apply(.recovered(TransferID(1), traits, RecoveredState(relaunchHold: .init(relaunch: 7))))
        #expect(machine.holdsSlot(TransferID(1)))
    }

    @Test("A wall clock that jumps neither frees nor holds longer; only the date that is told moves (R5)")
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

    @Test("Time asleep counts as time passed (R5)")
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

    @Test("Conditions beside the delay are told with it, and hold on when it is over")
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

    @Test("A person's start now ends the wait, but the limiter counts its end as before (R4)")
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

    @Test("Who was told to start now does not wait again after a restart of the process")
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

    @Test("A change that leaves it background work leaves it held")
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

    @Test("What is paused or held beside keeps its moment, and begins later where that takes longer")
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

    @Test("Why it waits, in words, and what would release it")
    func explained() {
        Timeline.run(
            """
            t=0s relaunch x
            t=1s submit 1 normal background app=x
            expect 1 released openApp,wait:60s
            expect 1 looked 60s
            expect 1 saying its app was started once for finished work: what it hands over in the background waits 60 s — starts when its app has been opened, or starts Mon 23 Nov 00:01:00
            """)
    }
}
