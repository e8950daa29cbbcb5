// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy

@testable import transferctl

@Suite struct DeadlineFaultSentenceTests {
    private static let monday = WallTime(secondsSinceEpoch: 1_795_392_000)

    @Test(
        "Each fault has its sentence",
        arguments: [
            (DeadlineFault.past(monday), "the deadline Mon 23 Nov 00:00:00 has passed"),
            (.notBefore(monday, deadline: monday), "is not later than the earliest start Mon 23 Nov 00:00:00"),
            (.window(opens: nil, deadline: monday), "no time window opens before the deadline Mon 23 Nov 00:00:00"),
            (
                .limit(bytes: 1_000_000_000, rate: 65_536, needed: .seconds(15_259), available: .seconds(60)),
                "take 4 h, but the deadline leaves 60 s"
            ),
        ])
    func sentences(fault: DeadlineFault, words: String) {
        let sentence = fault.sentence(.utc)
        #expect(sentence.contains(words), "\(sentence)")
    }
}
