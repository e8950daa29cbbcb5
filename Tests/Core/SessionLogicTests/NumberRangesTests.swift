// SPDX-License-Identifier: Apache-2.0
import Foundation
import SessionLogic
import Testing
import TransferPolicy

@Suite struct NumberRangesTests {
    @Test("Ranges contain the same numbers as a set, after any additions and removals")
    func likeASet() {
        let seed = UInt64.random(in: 0..<1 << 48)
        var generator = SplitMix64(seed: seed)
        for _ in 0..<50 {
            var (ranges, numbers, next) = (NumberRanges(), Set<Int>(), 1)
            for _ in 0..<100 {
                if Bool.random(using: &generator) {
                    let start = next + Int.random(in: 0...2, using: &generator)
                    next = start + Int.random(in: 0...5, using: &generator)
                    ranges.append(start..<next)
                    numbers.formUnion(start..<next)
                } else {
                    let number = Int.random(in: 0...next, using: &generator)
                    #expect(ranges.remove(number) == (numbers.remove(number) != nil), "seed \(seed)")
                }
                #expect(ranges.count == numbers.count, "seed \(seed)")
            }
            #expect((0...next).allSatisfy { ranges.contains($0) == numbers.contains($0) }, "seed \(seed)")
            let coded = try? JSONDecoder().decode(NumberRanges.self, from: JSONEncoder().encode(ranges))
            #expect(coded == ranges, "seed \(seed)")
        }
    }

    @Test("Ten thousand consecutive numbers are one pair; the single numbers of earlier versions are read")
    func coding() throws {
        var ranges = NumberRanges()
        ranges.append(1..<5001)
        ranges.append(5001..<10_001)
        #expect(String(decoding: try JSONEncoder().encode(ranges), as: UTF8.self) == "[[1,10001]]")
        var few = NumberRanges()
        few.append(2..<4)
        few.append(9..<10)
        #expect(try JSONDecoder().decode(NumberRanges.self, from: Data("[9,2,3]".utf8)) == few)
        #expect(try JSONDecoder().decode(NumberRanges.self, from: Data("[]".utf8)) == NumberRanges())
    }

    @Test(
        "Anything but a list of ordered ranges is refused",
        arguments: ["[[1]]", "[[3,3]]", "[[4,6],[5,7]]", "[7,7]", "{}"])
    func wrong(text: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(NumberRanges.self, from: Data(text.utf8)) }
    }
}
