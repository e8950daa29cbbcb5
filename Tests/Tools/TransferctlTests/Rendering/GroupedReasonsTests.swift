// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel

@testable import transferctl

@Suite("Equal reasons are told once")
struct GroupedReasonsTests {
    private func status(_ id: Int64, _ sentence: String? = nil, bytes: Int64 = 0) -> TransferStatus {
        var status = TransferStatus(
            id: TransferID(id), url: "http://h/f\(id)", name: "f\(id)", app: "person", isUpload: false, kind: .normal,
            priority: 500, state: .waiting, submitted: WallTime(secondsSinceEpoch: 0))
        (status.sentence, status.bytes) = (sentence, bytes)
        return status
    }

    private func event(_ kind: TransferEvent.Kind, at second: Int64 = 0) -> TransferEvent {
        TransferEvent(time: WallTime(secondsSinceEpoch: second), kind: kind)
    }

    @Test("A list has one line for neighbors that wait for the same reason, and one for each that differs")
    func list() {
        let rows =
            [status(1, "on battery", bytes: 5)] + (2...498).map { status($0, "on battery") }
            + [status(499, "no network"), status(500, "no network")]
        let lines = StatusTable(rows, width: 80, isGrouped: true).text.split(separator: "\n").map(String.init)
        #expect(lines.count == 9, "\(lines)")
        #expect(lines[3].hasPrefix("2-498") && lines[3].hasSuffix("497 files: f2 … f498"), "\(lines[3])")
        #expect(lines[4].hasSuffix("  on battery"))
        #expect(lines[5].hasPrefix("499 ") && lines[7].hasPrefix("500 "))
        #expect(StatusTable(rows, width: 80).text.split(separator: "\n").count == 1001)
    }

    @Test("The lines of a command count the files that wait for the same reason, also those not explained yet")
    func lines() {
        var renderer = LineRenderer(localTime: .utc, isVerbose: false, count: 500)
        let explanation = WaitExplanation(sentence: "on battery")
        for id in 1...36 { renderer.show(status(Int64(id)), event(.waiting(explanation))) }
        #expect(renderer.waitLines == ["500 files: waiting: on battery"])
        renderer.show(status(36), event(.waiting(WaitExplanation(sentence: "no network"))))
        #expect(renderer.waitLines == ["35 files: waiting: on battery", "f36: waiting: no network"])
        var single = LineRenderer(localTime: .utc, isVerbose: false, count: 1)
        single.show(status(1), event(.waiting(explanation)))
        #expect(single.waitLines == ["f1: waiting: on battery"] && single.isDirty)
    }

    @Test("A failed attempt is told once, with the time until the next and the number of attempts")
    func retry() {
        var explanation = WaitExplanation(
            sentence: "", reasons: [WaitReasonReport(code: "backoff", sentence: "", details: ["attempt": .number(1)])])
        explanation.until = WallTime(nanosecondsSinceEpoch: 101_300_000_000)
        var failed = status(1)
        failed.error = "h refused the connection."
        func text(attempts: Int?) -> String? {
            TransferText.sentence(
                of: failed, event(.retrying(explanation), at: 100), localTime: .utc, attempts: attempts)
        }
        #expect(text(attempts: 5) == "h refused the connection; retrying in 1 s (2 of 5)")
        #expect(text(attempts: nil) == "h refused the connection; retrying in 1 s (attempt 2)")
        explanation.until = WallTime(secondsSinceEpoch: 100_000)
        #expect(
            text(attempts: 5)?.hasSuffix("retrying at Fri 2 Jan 03:46:40 (2 of 5)") == true,
            "\(text(attempts: 5) ?? "")")
    }
}
