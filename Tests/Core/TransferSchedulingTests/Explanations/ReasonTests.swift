// SPDX-License-Identifier: Apache-2.0

import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

@Suite struct ReasonTests {
    private static let date = WallTime(secondsSinceEpoch: 1_795_392_000)

    @Test(
        "Each reason has its code and its words",
        arguments: [
            (
                Reason.rateLimited(delay: .seconds(240), relaunches: 3, until: date), "rateLimited",
                "its app was started 3 times for finished work: what it hands over in the background waits 4 min"
            ),
            (
                .rateLimited(delay: .seconds(60), relaunches: 1, until: date), "rateLimited",
                "its app was started once for finished work: what it hands over in the background waits 60 s"
            ),
            (.budgetSpent(.meteredBytes, renewed: date), "budgetSpent", "the budget of metered bytes is used up"),
            (.held(by: "root", why: "backup"), "held", "held by root: backup"),
            (.needsApp(.authentication), "needsApp", "its app has to answer a login"),
            (.needsApp(.delayedBegin), "needsApp", "its app has to say whether it may begin"),
            (.needsApp(.notRegistered), "needsApp", "its app has not registered again"),
            (
                .windowTooShort(needed: .seconds(7260), left: .seconds(-5)), "windowTooShort",
                "it needs about 2 h, and only 0 s are left of the time in which it may run"
            ),
            (
                .connectionDenied(.notAllowed(nil)), "connectionDenied",
                "the connection's name is unknown, and only some may be used for it"
            ),
        ] as [(Reason, String, String)])
    func words(reason: Reason, code: String, phrase: String) {
        #expect(reason.code == code)
        #expect(reason.phrase(localTime: .utc) == phrase)
    }

    @Test("Once three weeks have told of an hour, an explanation names the next good one")
    func expectedChance() {
        // AC from 02:00 to 03:00 every night.
        var text = "given power=battery\n"
        for day in 0..<22 {
            text += "t=\(day * 86_400 + 7200)s power ac\nt=\(day * 86_400 + 10_800)s power battery\n"
        }
        let machine = Timeline.run(text + "t=1900800s submit 1 discretionary\nexpect 1 waits onBattery\n")
        #expect(
            machine.explanation(of: TransferID(1))?.expectedChance
                == Machine.start.wall.advanced(by: .seconds(22 * 86_400 + 7200)))
        let fresh = Timeline.run("given power=battery\nt=0s submit 1 discretionary\n")
        #expect(fresh.explanation(of: TransferID(1))?.expectedChance == nil)
    }
}
