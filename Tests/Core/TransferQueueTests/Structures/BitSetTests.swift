// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferPolicy

@testable import TransferQueue

@Suite("BitSet")
struct BitSetTests {
    @Test("The intersection equals that of the standard library's sets", arguments: 0..<20)
    func random(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var bits = [BitSet(), BitSet()]
        var sets: [Set<Int32>] = [[], []]
        for _ in 0..<500 {
            let which = Int.random(in: 0..<2, using: &random)
            let number = Int32.random(in: 0..<(which == 0 ? 70 : 400), using: &random)
            let isIn = Int.random(in: 0..<3, using: &random) == 0
            bits[which].set(number, isIn)
            if isIn { sets[which].insert(number) } else { sets[which].remove(number) }
            var common: Set<Int32> = []
            bits[0].forEach(in: bits[1]) { common.insert($0) }
            #expect(common == sets[0].intersection(sets[1]))
            #expect(bits[0].intersects(bits[1]) == !common.isEmpty)
            #expect(bits[which].contains(number) == isIn)
            #expect(bits[which].isEmpty == sets[which].isEmpty)
        }
    }

    @Test("Setting a word replaces the old bits, also beyond the end", arguments: [0, 7])
    func word(index: Int) {
        var bits = BitSet()
        for number in Int32(0)..<70 { bits.set(number) }
        bits.setWord(index, 5)
        let numbers = (Int32(0)..<64).filter { bits.contains(Int32(64 * index) + $0) }
        #expect(numbers == [0, 2])
        let isKept = bits.contains(69)
        #expect(isKept)
    }
}
