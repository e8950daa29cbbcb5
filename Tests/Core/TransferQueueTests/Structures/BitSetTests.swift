// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferPolicy

@testable import TransferQueue

@Suite("BitSet")
struct BitSetTests {
    @Test("Two sets of different sizes have in common what two sets of the library have", arguments: 0..<20)
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
        bits[1].setWord(7, 5)
        let (first, second) = (bits[1].contains(448), bits[1].contains(449))
        #expect(first && !second)
    }
}
