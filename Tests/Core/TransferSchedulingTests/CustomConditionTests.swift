// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

/// Conditions that the user has defined.
@Suite struct CustomConditionTests {
    @Test("A transfer waits for a value, starts when it comes, and stops when it goes")
    func value() {
        Timeline.run(
            """
            t=0s custom call=yes
            t=0s submit 1 normal requires=call=no
            expect 1 waits condition
            expect 1 released become:call=no
            t=100s custom call=no
            expect 1 starts at 100s
            t=200s custom call=yes
            expect 1 stops at 200s
            t=201s stopped 1
            t=300s custom call=other
            expect 1 waits condition
            """)
    }

    @Test("Any of several values will do, also on this machine; a condition that nobody defined never holds")
    func several() {
        Timeline.run(
            """
            t=0s submit 1 normal requires=load=low/medium loopback
            expect 1 waits condition
            t=10s custom load=medium
            expect 1 starts at 10s
            """)
    }

    @Test("The sentence is the user's, or names the condition, and the remedy names what would do")
    func sentences() throws {
        let call = try #require(CustomConstraint("call=no"))
        func phrase(_ value: String?, _ sentence: String?) -> String {
            Reason.custom(call, value: value, sentence: sentence).phrase(localTime: .utc)
        }
        #expect(phrase("yes", "a call is running") == "a call is running")
        #expect(phrase("yes", nil) == "call is yes")
        #expect(phrase(nil, nil) == "call is unknown")
        #expect(Remedy.become(call).phrase(localTime: .utc) == "starts when call is no")
        #expect(Reason.custom(call, value: nil, sentence: nil).code == "condition")
    }
}
