// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferPolicy

@testable import TransferQueue

@Suite("IndexedHeap")
struct IndexedHeapTests {
    @Test(
        "The first and the first allowed member equal those of a sorted list",
        arguments: 0..<20)
    func random(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var model = Model()
        for step in 0..<600 {
            model.change(using: &random)
            guard model.isRight(using: &random) else {
                Issue.record("wrong after step \(step), seed \(seed)")
                return
            }
        }
    }

    @Test("A search for the first allowed member skips later members")
    func visitsFew() {
        var heap = IndexedHeap<Int32>()
        for number in Int32(0)..<10_000 { heap.insert(number, number) { _, _ in } }
        var looks = 0
        let first = heap.first(where: {
            looks += 1
            return $0 > 2
        })
        #expect(first == 3)
        #expect(looks < 40)
    }

    private struct Model {
        var heap = IndexedHeap<Key>()
        var keys: [Int32: Int] = [:]
        var positions: [Int32: Int32] = [:]

        struct Key: Comparable {
            let key: Int
            let number: Int32

            static func < (left: Key, right: Key) -> Bool {
                (left.key, left.number) < (right.key, right.number)
            }
        }

        private func key(of number: Int32) -> Key { Key(key: keys[number] ?? 0, number: number) }

        mutating func change(using random: inout SplitMix64) {
            let number = Int32.random(in: 0..<50, using: &random)
            var (heap, positions) = (self.heap, self.positions)
            if let position = positions[number] {
                if Bool.random(using: &random) {
                    heap.remove(at: position) { positions[$0] = $1 }
                    positions[number] = nil
                } else {
                    keys[number] = Int.random(in: 0..<20, using: &random)
                    heap.update(at: position, to: key(of: number)) { positions[$0] = $1 }
                }
            } else {
                keys[number] = Int.random(in: 0..<20, using: &random)
                heap.insert(number, key(of: number)) { positions[$0] = $1 }
            }
            (self.heap, self.positions) = (heap, positions)
        }

        func isRight(using random: inout SplitMix64) -> Bool {
            let sorted = positions.keys.sorted { key(of: $0) < key(of: $1) }
            let divisor = Int32.random(in: 1..<9, using: &random)
            return heap.first == sorted.first && heap.isEmpty == sorted.isEmpty
                && heap.first(where: { $0 % divisor == 0 }) == sorted.first { $0 % divisor == 0 }
        }
    }
}
