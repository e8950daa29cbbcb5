// SPDX-License-Identifier: Apache-2.0

/// Divides what is missing of one file among connections, so that every byte has one writer at most.
///
/// A free connection takes its share of what nobody fetches yet; where nothing is left, half of what the slowest still
/// has to fetch (as aria2 does it), so that all end at about the same time.
struct SegmentPlan: Hashable, Sendable {
    /// What one connection fetches next.
    struct Segment: Hashable, Sendable {
        let id: Int
        /// Where its next byte goes.
        var next: Int64
        /// Where it ends; moves down when another connection takes its second half.
        var end: Int64
        var left: Int64 { end - next }
    }

    /// No segment is made smaller than this: a request would cost more than it spreads.
    ///
    /// Holes that are smaller from the start stay so.
    static let smallest: Int64 = 1 << 20
    /// What must be missing for more than one connection to be worth it.
    static let worthwhile: Int64 = 4 << 20

    let total: Int64
    /// The bytes that were handed out for writing, or were there before.
    private(set) var received: ByteRanges
    /// What nobody fetches, in order.
    private(set) var free: [Range<Int64>]
    /// What is being fetched, in the order it was begun.
    private(set) var segments: [Segment] = []
    private var lastID = 0

    init(total: Int64, received: ByteRanges) {
        self.total = total
        self.received = received
        free = received.gaps(upTo: total)
    }

    var missing: Int64 { total - received.count }
    var isComplete: Bool { missing == 0 }

    func segment(_ id: Int) -> Segment? { segments.first { $0.id == id } }

    /// A segment for one of so many free connections; nil where there is nothing worth it.
    mutating func take(connections: Int) -> Segment? {
        guard let range = takeFree(connections) ?? steal() else { return nil }
        lastID += 1
        let segment = Segment(id: lastID, next: range.lowerBound, end: range.upperBound)
        segments.append(segment)
        return segment
    }

    /// Hands out the place of the next bytes of a segment: of `count` as many as it still has to get.
    mutating func write(_ count: Int64, to id: Int) -> Range<Int64>? {
        guard let index = segments.firstIndex(where: { $0.id == id }) else { return nil }
        let start = segments[index].next
        let place = start..<start + min(count, segments[index].left)
        segments[index].next = place.upperBound
        received.insert(place)
        return place
    }

    /// Ends a segment; what it did not get is anybody's.
    mutating func release(_ id: Int) {
        guard let index = segments.firstIndex(where: { $0.id == id }) else { return }
        let segment = segments.remove(at: index)
        giveBack(segment.next..<segment.end)
    }

    /// Bytes that were handed out and could not be written: they are not there.
    mutating func lose(_ range: Range<Int64>) { received.remove(range) }

    /// The first of what nobody fetches, since a file that grows from its beginning is continued best.
    private mutating func takeFree(_ connections: Int) -> Range<Int64>? {
        guard let first = free.first else { return nil }
        let all = free.reduce(0) { $0 + Int64($1.count) }
        let share = max(Self.smallest, (all + Int64(connections) - 1) / Int64(max(1, connections)))
        // What would remain below the smallest goes with it.
        guard Int64(first.count) - share >= Self.smallest else { return free.removeFirst() }
        free[0] = first.lowerBound + share..<first.upperBound
        return first.lowerBound..<first.lowerBound + share
    }

    private mutating func steal() -> Range<Int64>? {
        guard let index = segments.indices.max(by: { segments[$0].left < segments[$1].left }),
            segments[index].left >= 2 * Self.smallest
        else { return nil }
        let end = segments[index].end
        segments[index].end -= segments[index].left / 2
        return segments[index].end..<end
    }

    private mutating func giveBack(_ range: Range<Int64>) {
        guard !range.isEmpty else { return }
        var all = ByteRanges(free)
        all.insert(range)
        free = all.ranges
    }
}
