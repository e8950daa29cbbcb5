// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

@Suite struct RaceTests {
    @Test("A running transfer that is paused stops until it is resumed")
    func pauseRunning() {
        Timeline.run(
            """
            t=0s submit 1 userInitiated
            expect 1 starts at 0s
            t=5s pause 1
            expect 1 stops at 5s
            expect 1 waits suspended
            expect 1 released resume
            expect wake none
            expect quiet until 100s
            t=100s resume 1
            expect 1 starts at 100s
            """)
    }

    @Test("A waiting transfer that was paused starts immediately after its resumption")
    func pauseWaiting() {
        Timeline.run(
            """
            given power=battery
            t=0s submit 1 discretionary
            t=1s pause 1
            expect 1 waits suspended,onBattery
            t=2s power ac
            expect 1 waits suspended
            expect quiet until 50s
            t=50s resume 1
            expect 1 starts at 50s
            t=51s fail 1 timeout
            t=52s pause 1
            expect quiet until 1000s
            t=1000s resume 1
            expect 1 starts at 1000s
            t=1001s fail 1 timeout
            expect 1 saved 2
            """)
    }

    @Test("A transfer resumed during its stop starts again after the stop")
    func resumeWhileStopping() {
        let machine = Timeline.run(
            """
            t=0s stops unanswered
            t=0s submit 1 userInitiated
            expect 1 starts at 0s
            t=5s pause 1
            expect 1 stops at 5s
            t=6s resume 1
            t=6s resume 1
            expect quiet until 10s
            t=10s stopped 1
            expect 1 starts at 10s
            """)
        let saved = machine.log.filter { if case .savePaused = $0.effect { true } else { false } }.map(\.effect)
        #expect(saved == [.savePaused(TransferID(1), true), .savePaused(TransferID(1), false)])
    }

    @Test("A transfer paused during a stop stays paused")
    func pauseWhileStopping() {
        Timeline.run(
            """
            t=0s stops unanswered
            t=0s submit 1 userInitiated
            expect 1 starts at 0s
            t=5s network none
            expect 1 stops at 5s
            t=5s pause 1
            t=6s network full
            t=7s stopped 1
            expect 1 waits suspended
            expect quiet until 100s
            """)
    }

    @Test("Conditions that return during a stop restart the transfer after the stop")
    func backWhileStopping() {
        Timeline.run(
            """
            t=0s stops unanswered
            t=0s submit 1 discretionary
            expect 1 starts at 0s
            t=5s network none
            expect 1 stops at 5s
            t=6s network full
            expect quiet until 8s
            t=8s stopped 1
            expect 1 starts at 11s
            """)
    }

    @Test("A waiting or paused transfer ends immediately and once when canceled")
    func cancelWaiting() {
        Timeline.run(
            """
            given power=battery
            t=0s submit 1 discretionary
            t=0s submit 2 discretionary
            t=0s pause 2
            t=5s cancel 1
            expect 1 ends cancelled at 5s
            t=5s cancel 1
            t=5s resume 1
            t=6s cancel 2
            expect 2 ends cancelled at 6s
            t=7s power ac
            expect quiet until 100s
            expect wake none
            """)
    }

    @Test(
        "A running transfer that is canceled ends with its attempt",
        arguments: ["stopped 1", "fail 1 timeout", "fail 1 certificate", "full 1 available=0"])
    func cancelRunning(end: String) {
        let machine = Timeline.run(
            """
            t=0s stops unanswered
            t=0s submit 1 userInitiated
            expect 1 starts at 0s
            t=5s cancel 1
            expect 1 stops at 5s
            t=6s pause 1
            t=6s resume 1
            t=6s cancel 1
            t=7s \(end)
            expect 1 ends cancelled at 7s
            t=8s \(end)
            t=8s finish 1
            expect quiet until 100s
            """)
        #expect(machine.openCount == 0)
        #expect(machine.log.contains { $0.effect == .discard(TransferID(1)) })
    }

    @Test("A transfer that finishes before its cancellation is finished")
    func cancelTooLate() {
        Timeline.run(
            """
            t=0s stops unanswered
            t=0s submit 1 userInitiated
            expect 1 starts at 0s
            t=5s cancel 1
            expect 1 stops at 5s
            t=6s finish 1
            expect 1 ends finished at 6s
            """)
    }

    @Test("A failure during a stop costs no attempt unless it is permanent")
    func failWhileStopping() {
        Timeline.run(
            """
            t=0s stops unanswered
            t=0s submit 1 normal attempts=1 links=ethernet
            t=0s submit 2 normal links=ethernet
            expect 2 starts at 0s
            t=5s link wifi
            t=6s fail 1 connection
            t=6s fail 2 certificate
            expect 2 stops at 5s
            expect 2 ends failed:certificate at 6s
            expect 1 waits networkKind
            t=7s link ethernet
            expect 1 runs
            """)
    }

    @Test(
        "Reports without an attempt change nothing",
        arguments: ["finish 1", "stopped 1", "fail 1 timeout", "full 1 available=0", "progress 1 5", "restart 1"])
    func reportsWithoutAttempt(report: String) {
        let machine = Timeline.run(
            """
            given power=battery
            t=0s submit 1 discretionary
            t=0s submit 2 userInitiated
            t=1s \(report)
            t=1s submit 2 userInitiated
            t=1s recover 2 userInitiated
            expect 1 waits onBattery
            expect wake 259200s
            """)
        #expect(machine.openCount == 2)
        #expect(machine.log.filter { $0.effect == .start(TransferID(2)) }.count == 1)
    }

    @Test("Resuming ends the backoff but keeps the failures, also in the store")
    func resumeInBackoff() {
        Timeline.run(
            """
            t=0s submit 1 normal
            expect 1 starts at 0s
            t=1s fail 1 timeout
            t=5s resume 1
            expect 1 saved 1
            expect 1 starts at 5s
            t=6s fail 1 timeout
            expect 1 saved 2
            """)
    }

    @Test("A recovered transfer keeps its state and the rest of its backoff")
    func recovery() {
        Timeline.run(
            """
            t=0s recover 1 normal bytes=10 failures=3 until=60s
            t=0s recover 2 normal paused failures=1 until=60s
            t=0s recover 3 normal failures=1 until=-60s
            t=0s recover 4 normal failures=2 until=9999h
            expect 3 starts at 0s
            expect 2 waits suspended
            expect 1 starts at 60s
            t=61s fail 1 timeout
            expect 1 saved 4
            t=62s resume 2
            expect 2 starts at 62s
            expect 4 starts at 24h
            """)
    }

    @Test("The first conditions after a restart do not end backoffs")
    func recoveryBeforeFirstConditions() {
        Timeline.run(
            """
            given network=unknown
            t=0s recover 1 normal failures=3 until=60s
            t=0s network full
            expect 1 waits backoff
            expect 1 starts at 60s
            """)
    }
}
