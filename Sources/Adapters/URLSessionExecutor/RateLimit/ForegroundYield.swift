// SPDX-License-Identifier: Apache-2.0

/// Decides how much of one direction of the network transfers may use while others of this machine use it too.
///
/// What others use is what the interfaces carried less our own. While that is more than a trickle, our limit is divided
/// by eight at each reading, down to a floor; after a second of quiet it doubles at each reading until it restrains
/// nothing any more. TCP alone would give us half or more: bulk transfers fill the queue before the slowest link.
///
/// It cannot know what others would like to have, so it stays at the floor as long as they go on.
struct ForegroundYield: Hashable, Sendable {
    /// Bytes a second that always remain to us.
    static let floor: Int64 = 16_384
    /// Others that use less than this, in bytes a second, are not stepped back for.
    static let trickle: Int64 = 32_768
    /// Others have to be quiet so long before we try again, in nanoseconds.
    static let quiet: UInt64 = 1_000_000_000

    /// Bytes a second that we may use; nil is any amount.
    private(set) var limit: Int64?
    private var largestOwn: Int64 = 0
    private var quietFor: UInt64 = 0

    /// Takes a reading: what went over the interfaces and what of it was ours, in bytes, within `elapsed` nanoseconds.
    mutating func take(all: Int64, own: Int64, elapsed: UInt64) {
        guard elapsed > 0 else { return }
        let ownRate = Self.rate(own, elapsed)
        let others = Self.rate(all, elapsed) - ownRate
        largestOwn = max(largestOwn, ownRate)
        // Headers and buffers make the difference of two large numbers uncertain.
        if others > max(Self.trickle, ownRate / 12, largestOwn / 100) {
            quietFor = 0
            let present = limit.map { min($0, max(ownRate, Self.floor)) } ?? ownRate
            limit = max(Self.floor, present / 8)
        } else {
            quietFor += elapsed
            guard let limit, quietFor >= Self.quiet else { return }
            let next = limit.addingSaturated(limit)
            self.limit = next > largestOwn.addingSaturated(largestOwn) ? nil : next
        }
    }

    private static func rate(_ bytes: Int64, _ elapsed: UInt64) -> Int64 {
        let (high, low) = UInt64(max(0, bytes)).multipliedFullWidth(by: 1_000_000_000)
        guard high < elapsed else { return .max / 4 }
        return Int64(clamping: elapsed.dividingFullWidth((high, low)).quotient)
    }
}
