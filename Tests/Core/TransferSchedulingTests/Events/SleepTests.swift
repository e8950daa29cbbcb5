// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

@Suite struct SleepTests {
    @Test(
        "What runs stops the moment sleep or the end is announced, whoever waits for it, and nothing begins until then",
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

    @Test("The reason is told with since when and by whom")
    func words() {
        var conditions = Conditions(unknownSince: Machine.start)
        conditions.sleep = Fact(.aboutToSleep, source: .logind, since: Machine.start)
        guard case .hold(let holds, nil) = SleepState.verdict(under: conditions), let hold = holds.first else {
            Issue.record("it may run")
            return
        }
        let since = LocalTimeRules.utc.clockTime(of: Machine.start.wall)
        #expect(hold.sentence(localTime: .utc) == "the machine goes to sleep since \(since) (logind)")
        #expect(Reason.aboutToShutDown.phrase(localTime: .utc) == "the machine is being switched off")
    }
}
