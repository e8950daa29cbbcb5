// SPDX-License-Identifier: Apache-2.0

import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

@Suite struct ReasonTests {
    private static let date = WallTime(secondsSinceEpoch: 1_795_392_000)

    @Test(
        "Each reason has a code and a phrase",
        arguments: [
            (
                Reason.rateLimited(delay: .seconds(240), relaunches: 3, until: date), "rateLimited",
                "relaunch limit: the app was started 3 times for ended transfers; its new background transfers wait 4 min"
            ),
            (
                .rateLimited(delay: .seconds(60), relaunches: 1, until: date), "rateLimited",
                "relaunch limit: the app was started once for ended transfers; its new background transfers wait 60 s"
            ),
            (.budgetSpent(renewed: date), "budgetSpent", "the metered data budget is used up"),
            (.held(by: "root", why: "backup"), "held", "held by root: backup"),
            (
                .storageLow(needed: 2_000_000_000, available: 1_250_000_000), "storageLow",
                "not enough disk space: needs 2 GB, 1.3 GB available"
            ),
            (.storageLow(needed: nil, available: -5), "storageLow", "not enough disk space: 0 B available"),
            (.needsApp(.authentication), "needsApp", "the server requires a login; the app must answer"),
            (.needsApp(.delayedBegin), "needsApp", "the app must decide whether the transfer begins"),
            (.needsApp(.notRegistered), "needsApp", "the app must open its session again"),
            (
                .windowTooShort(needed: .seconds(7260), left: .seconds(-5)), "windowTooShort",
                "needs about 2 h; the time window closes in 0 s"
            ),
            (
                .connectionDenied(.notAllowed(nil)), "connectionDenied",
                "connection name unknown; only listed connections are allowed"
            ),
        ] as [(Reason, String, String)])
    func words(reason: Reason, code: String, phrase: String) {
        #expect(reason.code == code)
        #expect(reason.phrase(localTime: .utc) == phrase)
    }

    @Test("After three weeks of data, the explanation predicts the next good hour")
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
