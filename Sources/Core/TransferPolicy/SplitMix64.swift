// SPDX-License-Identifier: Apache-2.0

/// A small seeded random number generator that makes random decisions reproducible.
///
/// SplitMix64: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014.
///
/// ```swift
/// var generator = SplitMix64(seed: 42)
/// let roll = Int.random(in: 1...6, using: &generator)  // the same in every run
/// ```
public struct SplitMix64: RandomNumberGenerator, Hashable, Sendable {
    private var state: UInt64

    /// Creates a generator that produces the sequence for `seed`.
    public init(seed: UInt64) { state = seed }

    /// Returns the next value and advances the generator.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
