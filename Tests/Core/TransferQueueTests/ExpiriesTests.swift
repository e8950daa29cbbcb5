// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy

@testable import TransferQueue

@Suite("Expiries")
struct ExpiriesTests {
    @Test("Without transfers, there is no date and nothing expires")
    func empty() {
        var expiries = Expiries()
        let (next, popped) = (expiries.next, expiries.popFirst(at: WallTime(nanosecondsSinceEpoch: .max)))
        #expect(next == nil)
        #expect(popped == nil)
    }

    @Test("A transfer expires exactly at its date, to the nanosecond")
    func exact() {
        var expiries = Expiries()
        expiries.add(TransferID(7), at: WallTime(nanosecondsSinceEpoch: 5_000_000_123))
        let early = expiries.popFirst(at: WallTime(nanosecondsSinceEpoch: 5_000_000_122))
        let next = expiries.next
        let due = expiries.popFirst(at: WallTime(nanosecondsSinceEpoch: 5_000_000_123))
        let rest = expiries.next
        #expect(early == nil)
        #expect(next == WallTime(nanosecondsSinceEpoch: 5_000_000_123))
        #expect(due == TransferID(7))
        #expect(rest == nil)
    }

    @Test("Equal dates are ordered by ID; the ends of Int64 are valid dates")
    func order() {
        var expiries = Expiries()
        let dates: [(Int64, Int64)] = [(4, 30), (9, .min), (2, 30), (3, 20), (1, .max), (5, 30)]
        for (id, date) in dates { expiries.add(TransferID(id), at: WallTime(nanosecondsSinceEpoch: date)) }
        var popped: [Int64] = []
        while let id = expiries.popFirst(at: WallTime(nanosecondsSinceEpoch: .max)) { popped.append(id.rawValue) }
        #expect(popped == [9, 3, 2, 4, 5, 1])
    }

    @Test("Removing a transfer twice, or after it expired, changes nothing")
    func removedTwice() {
        var expiries = Expiries()
        for id in Int64(1)...3 { expiries.add(TransferID(id), at: WallTime(nanosecondsSinceEpoch: id)) }
        expiries.remove(TransferID(2))
        expiries.remove(TransferID(2))
        let first = expiries.popFirst(at: WallTime(nanosecondsSinceEpoch: 2))
        expiries.remove(TransferID(1))
        let (none, next) = (expiries.popFirst(at: WallTime(nanosecondsSinceEpoch: 2)), expiries.next)
        #expect(first == TransferID(1))
        #expect(none == nil)
        #expect(next == WallTime(nanosecondsSinceEpoch: 3))
    }

    @Test("Random runs agree with a sorted array", arguments: [4, 1000, Int64.max])
    func random(span: Int64) {
        for seed in UInt64(0)..<10 {
            var random = SplitMix64(seed: seed)
            var expiries = Expiries()
            var known: [(date: Int64, id: Int64)] = []
            for id in Int64(0)..<2000 {
                switch Int.random(in: 0..<4, using: &random) {
                case 0, 1:
                    let date = Int64.random(in: 0..<span, using: &random)
                    expiries.add(TransferID(id), at: WallTime(nanosecondsSinceEpoch: date))
                    known.append((date, id))
                case 2 where !known.isEmpty:
                    let removed = known.remove(at: Int.random(in: known.indices, using: &random))
                    expiries.remove(TransferID(removed.id))
                default:
                    let now = Int64.random(in: 0..<span, using: &random)
                    let expected = known.filter { $0.date <= now }.min { $0 < $1 }
                    let popped = expiries.popFirst(at: WallTime(nanosecondsSinceEpoch: now))
                    #expect(popped?.rawValue == expected?.id, "seed \(seed), step \(id)")
                    known.removeAll { $0.id == expected?.id }
                }
                let next = expiries.next
                guard next?.nanosecondsSinceEpoch == known.map(\.date).min() else {
                    Issue.record("the next date is wrong after step \(id), seed \(seed)")
                    return
                }
            }
        }
    }
}
