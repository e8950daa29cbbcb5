// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling

@testable import transferctl

@Suite("The output of wait explanations")
struct ExplanationOutputTests {
    private static let now = ClockReading(instant: .zero, wall: WallTime(secondsSinceEpoch: 1_795_392_000))
    private static let chance = WallTime(secondsSinceEpoch: 1_795_392_000 + 7200)

    private func explanation(
        chance: WallTime? = chance, remedies: [Remedy] = [], waited: [ReasonTime] = []
    ) -> Explanation {
        Explanation(
            reasons: [WaitReason(.onBattery(level: nil), since: Self.now, source: .upower)], remedies: remedies,
            nextReevaluation: nil,
            isLate: false, expectedChance: chance, waited: waited)
    }

    @Test("JSON contains the waiting time for each reason in whole seconds, and the next chance if it is known")
    func json() throws {
        let waited = [
            ReasonTime(code: "metered", time: .milliseconds(3999)), ReasonTime(code: "onBattery", time: .seconds(7200)),
        ]
        let object = JSONLine.object(WaitExplanation(explanation(waited: waited), localTime: .utc))
        let data = try JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
        let text = String(decoding: data, as: UTF8.self)
        let list = #""waited":[{"code":"metered","seconds":3},{"code":"onBattery","seconds":7200}]"#
        #expect(text.contains(list), "\(text)")
        #expect(object["expectedChance"] as? String == Formatting.rfc3339(Self.chance))
        #expect((object["sentence"] as? String)?.contains("likely from") == true)
        let unknown = JSONLine.object(WaitExplanation(explanation(chance: nil), localTime: .utc))
        #expect(unknown["expectedChance"] is NSNull)
        #expect((unknown["waited"] as? [Any])?.isEmpty == true)
    }

    @Test("The sentence contains the next chance, unless time alone starts the transfer earlier")
    func sentence() {
        let plain = explanation(chance: nil).fullSentence(localTime: .utc)
        #expect(plain == explanation().sentence(localTime: .utc))
        let likely = "; based on past weeks, likely from \(LocalTimeRules.utc.dateAndTime(of: Self.chance))"
        #expect(explanation().fullSentence(localTime: .utc) == plain + likely)
        for (offset, isShown) in [(-1, false), (0, false), (1, true)] as [(Int64, Bool)] {
            let until = Self.chance.advanced(by: .seconds(offset))
            let sentence = explanation(remedies: [.wait(until: until)]).fullSentence(localTime: .utc)
            #expect(sentence.hasSuffix(likely) == isShown, "\(sentence)")
        }
    }

    @Test("Work that waits for the same reason is listed below it, and a long list is cut")
    func groups() {
        let night = (1...22).map { (sentence: "outside the time window", id: "\($0)", name: "f\($0)") }
        let lines = WaitGroup.groups(of: [night[0], ("on battery", "c1", "sh")] + night.dropFirst()).map(\.lines)
        #expect(lines.count == 2 && lines[1] == ["on battery", "  c1  sh"])
        #expect(lines[0].prefix(3) == ["outside the time window", "  1  f1", "  2  f2"])
        #expect(lines[0].count == 22 && lines[0][21] == "  and 2 more: 'transferctl list --each' shows all")
    }
}
