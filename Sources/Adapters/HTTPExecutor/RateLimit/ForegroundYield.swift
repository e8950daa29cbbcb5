// SPDX-License-Identifier: Apache-2.0

/// Decides how much of one direction of the network transfers may use while other programs on this machine use the
/// network.
///
/// The traffic of other programs is the traffic of the interfaces minus the traffic of this process. While other
/// programs use more than a trickle, each reading divides the limit by eight, down to a floor. After a second of
/// quiet, each reading doubles the limit until the limit no longer has an effect.
///
/// TCP alone would leave half of the link or more to transfers. Bulk transfers fill the queue in front of the slowest
/// link.
///
/// The demand of other programs is unknown. The limit therefore stays at the floor for as long as they use the
/// network.
struct ForegroundYield: Hashable, Sendable {
    /// The rate that transfers may always use, in bytes per second.
    static let floor: Int64 = 16_384
    /// The rate of other programs below which transfers do not yield, in bytes per second.
    static let trickle: Int64 = 32_768
    /// The duration for which other programs must be quiet before the limit rises, in nanoseconds.
    static let quiet: UInt64 = 1_000_000_000

    /// The rate that transfers may use, in bytes per second. `nil` means unlimited.
    private(set) var limit: Int64?
    private var largestOwn: Int64 = 0
    private var quietFor: UInt64 = 0

    /// Updates the limit from a reading of the interface counters.
    ///
    /// - Parameters:
    ///   - all: The bytes that crossed the interfaces.
    ///   - own: The bytes of `all` that belong to this process.
    ///   - elapsed: The duration of the reading in nanoseconds.
    mutating func record(all: Int64, own: Int64, elapsed: UInt64) {
        guard elapsed > 0 else { return }
        let ownRate = Self.rate(own, elapsed)
        let others = Self.rate(all, elapsed) - ownRate
        largestOwn = max(largestOwn, ownRate)
        // Headers and buffering make the difference of two large numbers unreliable.
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
