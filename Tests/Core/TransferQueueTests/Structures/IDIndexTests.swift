// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferPolicy

@testable import TransferQueue

@Suite("IDIndex")
struct IDIndexTests {
    @Test("Random runs agree with a dictionary", arguments: [Int64(100), 5000, .max])
    func random(span: Int64) {
        for seed in UInt64(0)..<5 {
            var random = SplitMix64(seed: seed)
            var (index, known) = (IDIndex(), [Int64: Int32]())
            for step in Int32(0)..<20_000 {
                let id = Int64.random(in: 0..<span, using: &random)
                if known[id] == nil, Int.random(in: 0..<3, using: &random) > 0 {
                    index.insert(id, step)
                    known[id] = step
                } else if let other = span == .max ? known.keys.first : id {
                    index.remove(other)
                    known[other] = nil
                }
                guard index.find(id) == known[id] else {
                    Issue.record("\(id) is wrong after step \(step), seed \(seed)")
                    return
                }
            }
            var all: [Int64: Int32] = [:]
            index.forEach { all[$0] = $1 }
            #expect(all == known)
            #expect(known.allSatisfy { index.find($0.key) == $0.value })
        }
    }

    @Test("Probing wraps around the end of the table, also on removal")
    func wrapsAround() {
        var index = IDIndex()
        // The home slots of these numbers are the last three of 256 slots.
        let ids = (Int64(1)...100_000).filter { index.home(of: $0) >= 253 }.prefix(40)
        for (value, id) in ids.enumerated() { index.insert(id, Int32(value)) }
        for (value, id) in ids.enumerated() {
            index.remove(id)
            #expect(index.find(id) == nil)
            #expect(ids.dropFirst(value + 1).allSatisfy { index.find($0) != nil })
        }
    }
}
