// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferPolicy

@testable import HTTPExecutor

struct SegmentPlanTests {
    private static let mebibyte: Int64 = 1 << 20

    @Test("Ranges merge as they grow, and report their gaps")
    func ranges() {
        var ranges = ByteRanges([10..<20, 30..<40])
        #expect(ranges.prefix == 0)
        #expect(ranges.gaps(upTo: 35) == [0..<10, 20..<30])
        ranges.insert(20..<30)
        #expect(ranges.ranges == [10..<40])
        ranges.insert(0..<10)
        #expect((ranges.prefix, ranges.count, ranges.beyondPrefix) == (40, 40, []))
        ranges.remove(5..<35)
        #expect(ranges.ranges == [0..<5, 35..<40])
        #expect((ranges.count, ranges.end, ranges.beyondPrefix) == (10, 40, [35..<40]))
    }

    @Test("Ranges contain exactly the inserted bytes, for each seed", arguments: 0..<50 as Range<UInt64>)
    func randomRanges(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var ranges = ByteRanges()
        var bytes = Set<Int64>()
        for _ in 0..<60 {
            let start = Int64.random(in: 0..<100, using: &random)
            let range = start..<start + Int64.random(in: 0..<20, using: &random)
            if Int.random(in: 0..<3, using: &random) == 0 {
                ranges.remove(range)
                bytes.subtract(range)
            } else {
                ranges.insert(range)
                bytes.formUnion(range)
            }
            #expect(Set(ranges.ranges.flatMap { Array($0) }) == bytes, "seed \(seed)")
            #expect(ranges.count == Int64(bytes.count), "seed \(seed)")
            #expect(zip(ranges.ranges, ranges.ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
            #expect(Set(ranges.gaps(upTo: 130).flatMap { Array($0) }) == Set(0..<130).subtracting(bytes))
        }
    }

    @Test("Shares are equal, start at the beginning, and are not smaller than the minimum")
    func shares() {
        var plan = SegmentPlan(total: 8 * Self.mebibyte, received: ByteRanges([0..<Self.mebibyte * 4]))
        let segments = (0..<8).compactMap { plan.assignSegment(connections: 8 - $0) }
        #expect(segments.map(\.next) == [4, 5, 6, 7].map { $0 * Self.mebibyte })
        #expect(segments.allSatisfy { $0.left == SegmentPlan.smallest })
    }

    @Test("A free connection receives half of the longest remaining segment, down to the minimum")
    func stealing() {
        var plan = SegmentPlan(total: 8 * Self.mebibyte, received: ByteRanges())
        let first = plan.assignSegment(connections: 1)
        #expect(first?.end == 8 * Self.mebibyte)
        let second = plan.assignSegment(connections: 1)
        #expect(second.map { $0.next..<$0.end } == 4 * Self.mebibyte..<8 * Self.mebibyte)
        #expect(plan.segment(1)?.end == 4 * Self.mebibyte)
        // The first segment has one byte too few for a division.
        #expect(plan.write(2 * Self.mebibyte + 1, to: 1)?.count == Int(2 * Self.mebibyte + 1))
        #expect(plan.assignSegment(connections: 1)?.next == 6 * Self.mebibyte)
        #expect(plan.assignSegment(connections: 1)?.next == 5 * Self.mebibyte)
        #expect(plan.assignSegment(connections: 1)?.next == 7 * Self.mebibyte)
        #expect(plan.assignSegment(connections: 1) == nil)
        // Bytes that another segment took are not written twice.
        #expect(plan.write(5 * Self.mebibyte, to: 1) == 2 * Self.mebibyte + 1..<4 * Self.mebibyte)
    }

    @Test(
        "Every byte is assigned once, whatever is assigned, written, and released", arguments: 0..<50 as Range<UInt64>)
    func random(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let total = Int64.random(in: 1..<40 * Self.mebibyte, using: &random)
        let start = Int64.random(in: 0..<total, using: &random)
        var plan = SegmentPlan(total: total, received: ByteRanges([start..<min(total, start + 100_000)]))
        var written = plan.received
        var steps = 0
        while !plan.isComplete, steps < 20_000 {
            steps += 1
            let segment = plan.segments.randomElement(using: &random)
            switch Int.random(in: 0..<12, using: &random) {
            case 0: _ = plan.assignSegment(connections: Int.random(in: 1...16, using: &random))
            case 1: if let segment { plan.release(segment.id) }
            default:
                guard let segment,
                    let range = plan.write(Int64.random(in: 1...600_000, using: &random), to: segment.id)
                else { continue }
                let before = written.count
                written.insert(range)
                #expect(written.count == before + Int64(range.count), "a byte twice, seed \(seed)")
            }
            let all = ByteRanges(plan.received.ranges + plan.free + plan.segments.map { $0.next..<$0.end })
            let sum =
                plan.received.count + plan.free.reduce(0) { $0 + Int64($1.count) }
                + plan.segments.reduce(0) { $0 + $1.left }
            #expect(all.count == total && sum == total, "a hole or two owners, seed \(seed)")
        }
        #expect(written.ranges == [0..<total], "seed \(seed)")
    }
}
