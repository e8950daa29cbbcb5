// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

@Suite struct MachineHoldTests {
    @Test("A hold on everything stops all running transfers and starts none until its release")
    func reasons() {
        Timeline.run(
            """
            t=0s submit 1 userInitiated loopback
            t=0s submit 2 discretionary
            expect order 1,2
            t=10s everything held
            expect 1 stops at 10s
            expect 2 stops at 10s
            expect 1 waits held
            t=20s submit 3 userInitiated
            expect 3 waits held
            expect 3 because held:you:meeting
            t=60s power battery
            expect 1 waits held
            t=90s woken
            expect 1 waited held=80s
            t=100s everything free
            expect 1 starts at 100s
            expect 3 starts at 100s
            """)
    }

    @Test("The explanation names the end of a hold, and the windows that follow it")
    func end() {
        Timeline.run(
            """
            t=60s everything user:7200
            t=60s submit 1 normal
            expect 1 saying on hold since 00:01 — starts after 'transferctl release', or starts Mon 23 Nov 02:00:00
            t=60s submit 2 normal notBefore=9000s
            expect 2 saying on hold since 00:01, until Mon 23 Nov 02:00:00; not before Mon 23 Nov 02:30:00 — starts Mon 23 Nov 02:30:00
            """)
    }

    @Test("A hold of the command line is named without its source, and with its reason if there is one")
    func userHold() {
        let since = Machine.start
        func words(_ why: String) -> String {
            WaitReason(.held(by: MachineHold.user, why: why), since: since, source: .user).sentence(localTime: .utc)
        }
        #expect(words("") == "on hold since 00:00")
        #expect(words("a call") == "on hold since 00:00: a call")
    }

    @Test("The reason names the holder, the start, and the source")
    func words() {
        var conditions = Machine.goodConditions()
        conditions.hold = Fact(MachineHold(by: "you", why: "a call"), source: .user, since: Machine.start)
        guard case .wait(let reasons, nil) = MachineHold.verdict(under: conditions), let hold = reasons.first else {
            Issue.record("it may run")
            return
        }
        let since = LocalTimeRules.utc.clockTime(of: Machine.start.wall)
        #expect(hold.sentence(localTime: .utc) == "held by you: a call since \(since)")
    }
}
