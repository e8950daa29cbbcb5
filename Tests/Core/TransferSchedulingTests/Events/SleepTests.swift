// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

@Suite struct SleepTests {
    @Test(
        "Announced sleep or shutdown stops all transfers, and none starts until the machine wakes",
        arguments: [("about-to-sleep", "aboutToSleep"), ("about-to-shut-down", "aboutToShutDown")])
    func stops(value: String, code: String) {
        Timeline.run(
            """
            t=0s submit 1 userInitiated loopback
            t=0s submit 2 discretionary
            expect order 1,2
            t=10s sleep \(value)
            expect 1 stops at 10s
            expect 2 stops at 10s
            expect 1 waits \(code)
            t=20s submit 3 userInitiated
            expect 3 waits \(code)
            expect 3 because \(code)
            expect order 1,2
            t=90s woken
            expect 1 waited \(code)=80s
            t=100s sleep awake
            expect 1 starts at 100s
            expect 3 starts at 100s
            """)
    }

    @Test("The reason names its start and its source")
    func words() {
        var conditions = Conditions(unknownSince: Machine.start)
        conditions.sleep = Fact(.aboutToSleep, source: .logind, since: Machine.start)
        guard case .wait(let reasons, nil) = SleepState.verdict(under: conditions), let wait = reasons.first else {
            Issue.record("it may run")
            return
        }
        let since = LocalTimeRules.utc.clockTime(of: Machine.start.wall)
        #expect(wait.sentence(localTime: .utc) == "the machine is going to sleep since \(since) (logind)")
        #expect(Reason.aboutToShutDown.phrase(localTime: .utc) == "the machine is shutting down")
    }
}
