// SPDX-License-Identifier: Apache-2.0

/// A point on the machine's boot-time clock, which counts time asleep and is never set: delays are measured on it.
///
/// Whole nanoseconds since boot. Arithmetic saturates at the ends of `Int64` (±292 years), so that no input traps.
public struct Instant: InstantProtocol, Hashable, Sendable {
    /// Nanoseconds since the machine booted.
    public var nanoseconds: Int64

    /// The instant that lies `nanoseconds` after boot.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The earliest instant.
    public static let zero = Instant(nanoseconds: 0)
    /// Later than anything that happens.
    public static let distantFuture = Instant(nanoseconds: .max)

    /// The instant `duration` later, or earlier where it is negative; saturating.
    public func advanced(by duration: Duration) -> Instant {
        Instant(nanoseconds: nanoseconds.addingSaturating(duration.wholeNanoseconds))
    }

    /// How long it is from here to `other`; negative where that is earlier.
    public func duration(to other: Instant) -> Duration {
        .nanoseconds(other.nanoseconds.addingSaturating(nanoseconds.negatedSaturating))
    }

    /// Orders by time.
    public static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }
}

extension Duration {
    /// The duration in whole nanoseconds, cut towards zero; saturating at the ends of `Int64`.
    public var wholeNanoseconds: Int64 {
        // By hand: what the library offers divides 128 bits several times over.
        let (high, low) = attoseconds.magnitude.halves
        // 2⁶³ nanoseconds are 5 · 10⁸ · 2⁶⁴ attoseconds.
        guard high < 500_000_000 else { return self < .zero ? .min : .max }
        // Two digits of 32 bits: a division by a constant each, where the processor's own costs ten times that.
        let (upper, carry) = (high << 32 | low >> 32).quotientAndRemainder(dividingBy: 1_000_000_000)
        let lower = (carry << 32 | low & 0xFFFF_FFFF) / 1_000_000_000
        let whole = upper << 32 | lower
        return self < .zero ? -Int64(whole) : Int64(whole)
    }
}

extension UInt128 {
    fileprivate var halves: (high: UInt64, low: UInt64) {
        (UInt64(truncatingIfNeeded: self >> 64), UInt64(truncatingIfNeeded: self))
    }
}

extension Int64 {
    /// The sum, held at the ends of the range where it would overflow.
    package func addingSaturating(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        guard overflow else { return sum }
        return other < 0 ? .min : .max
    }

    /// The product, held at the ends of the range where it would overflow.
    package func multipliedSaturating(by other: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        guard overflow else { return product }
        return (self < 0) == (other < 0) ? .max : .min
    }

    /// The negation, where `min` becomes `max`.
    package var negatedSaturating: Int64 { self == .min ? .max : -self }
}
