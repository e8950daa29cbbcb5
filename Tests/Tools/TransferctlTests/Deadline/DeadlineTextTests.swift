// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy

@testable import transferctl

@Suite struct DeadlineTextTests {
    private static let monday = WallTime(secondsSinceEpoch: 1_795_392_000)
    private static let estimate = TransferEstimate(
        bytes: 2_000_000_000, sizeBasis: .expected, rate: 625_000, rateBasis: .assumed)

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
            (
                .unlikely(estimate, available: .seconds(1200)),
                "an assumed 625.0 kB/s take about 53 min, and 20 min are left"
            ),
        ])
    func sentences(fault: DeadlineFault, words: String) {
        let sentence = DeadlineText.sentence(of: fault, localTime: .utc)
        #expect(sentence.contains(words), "\(sentence)")
    }
}
