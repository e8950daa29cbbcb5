// SPDX-License-Identifier: Apache-2.0

/// Divides the missing bytes of a file among connections, so that each byte has at most one writer.
///
/// A free connection receives its share of the unassigned bytes. If no bytes are unassigned, the connection receives
/// half of the longest remaining segment if that is long enough, as aria2 does. Connections thus tend to end together.
struct SegmentPlan: Hashable, Sendable {
    /// A range of bytes that a single connection downloads.
    struct Segment: Hashable, Sendable {
        let id: Int
        /// The offset of the segment's next byte.
        var next: Int64
        /// The end offset of the segment. Decreases when another connection receives the second half.
        var end: Int64
        var left: Int64 { end - next }
    }

    /// The smallest segment in bytes. A request for fewer bytes costs more than the division saves.
    ///
    /// Holes that are smaller from the start are not enlarged.
    static let smallest: Int64 = 1 << 20
    /// The number of missing bytes from which more than one connection is worthwhile.
    static let worthwhile: Int64 = 4 << 20

    let total: Int64
    /// The bytes that were present before, or were assigned for writing.
    private(set) var received: ByteRanges
    /// The unassigned missing ranges, in order.
    private(set) var free: [Range<Int64>]
    /// The segments in progress, in the order of their starts.
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

    /// Assigns a segment to a free connection. Returns `nil` if no worthwhile segment is left.
    ///
    /// - Parameter connections: The number of free connections.
    mutating func assignSegment(connections: Int) -> Segment? {
        guard let range = claimUnassigned(connections) ?? splitLongest() else { return nil }
        lastID += 1
        let segment = Segment(id: lastID, next: range.lowerBound, end: range.upperBound)
        segments.append(segment)
        return segment
    }

    /// Assigns the first missing bytes to a connection that already receives them.
    ///
    /// - Parameters:
    ///   - end: The end offset of the response.
    ///   - connections: The number of connections, including this one.
    mutating func adopt(receivingTo end: Int64, connections: Int) -> Segment? {
        guard let id = assignSegment(connections: connections)?.id,
            let index = segments.firstIndex(where: { $0.id == id })
        else { return nil }
        unassign(max(segments[index].next, min(end, segments[index].end))..<segments[index].end)
        segments[index].end = min(end, segments[index].end)
        return segments[index]
    }

    /// Adds the unassigned bytes after a segment to it, up to `end`. Another connection may have given them up.
    mutating func extend(_ id: Int, to end: Int64) {
        guard let index = segments.firstIndex(where: { $0.id == id }),
            let next = free.firstIndex(where: { $0.lowerBound == segments[index].end })
        else { return }
        let range = free.remove(at: next)
        segments[index].end = min(end, range.upperBound)
        unassign(segments[index].end..<range.upperBound)
    }

    /// Assigns up to `count` of a segment's next bytes and marks them as received. Returns their range, which does not
    /// extend past the end of the segment, or `nil` if the segment no longer exists.
    mutating func write(_ count: Int64, to id: Int) -> Range<Int64>? {
        guard let index = segments.firstIndex(where: { $0.id == id }) else { return nil }
        let start = segments[index].next
        let range = start..<start + min(count, segments[index].left)
        segments[index].next = range.upperBound
        received.insert(range)
        return range
    }

    /// Ends a segment. Its missing bytes become unassigned.
    mutating func release(_ id: Int) {
        guard let index = segments.firstIndex(where: { $0.id == id }) else { return }
        let segment = segments.remove(at: index)
        unassign(segment.next..<segment.end)
    }

    /// Removes bytes that could not be written from the received bytes.
    mutating func lose(_ range: Range<Int64>) { received.remove(range) }

    /// Removes and returns the beginning of the first unassigned range. A file that grows from its beginning is the
    /// easiest to continue.
    private mutating func claimUnassigned(_ connections: Int) -> Range<Int64>? {
        guard let first = free.first else { return nil }
        let all = free.reduce(0) { $0 + Int64($1.count) }
        let share = max(Self.smallest, (all + Int64(connections) - 1) / Int64(max(1, connections)))
        // A remainder smaller than the smallest segment is included.
        guard Int64(first.count) - share >= Self.smallest else { return free.removeFirst() }
        free[0] = first.lowerBound + share..<first.upperBound
        return first.lowerBound..<first.lowerBound + share
    }

    private mutating func splitLongest() -> Range<Int64>? {
        guard let index = segments.indices.max(by: { segments[$0].left < segments[$1].left }),
            segments[index].left >= 2 * Self.smallest
        else { return nil }
        let end = segments[index].end
        segments[index].end -= segments[index].left / 2
        return segments[index].end..<end
    }

    private mutating func unassign(_ range: Range<Int64>) {
        guard !range.isEmpty else { return }
        var all = ByteRanges(free)
        all.insert(range)
        free = all.ranges
    }
}
