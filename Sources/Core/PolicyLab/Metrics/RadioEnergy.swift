// SPDX-License-Identifier: Apache-2.0

/// The energy that a radio uses while it transfers, while it stays awake afterwards, and to wake up.
///
/// Source: Huang, Qian, Gerber, Mao, Sen, Spatscheck, "A Close Examination of Performance and Power Characteristics of
/// 4G LTE Networks", MobiSys 2012, the tables of power and states, for downloads. The numbers were not verified against
/// the source. A laptop's Wi-Fi uses a different amount of energy, but has the same parts.
struct RadioEnergy {
    /// The power in watts during a transfer, extrapolated to a rate of zero.
    let base: Double
    /// The additional power in watts for each Mbit/s.
    let perMegabit: Double
    /// The power in watts while the radio stays awake after a transfer.
    let tail: Double
    /// The time for which the radio stays awake after a transfer, in seconds.
    let tailTime: Double
    /// The energy to wake the radio, in joules.
    let wake: Double

    /// Wi-Fi: 132.86 mW plus 137.01 mW per Mbit/s, a tail of 238 ms at 119.3 mW, and 79 ms at 124.4 mW to wake.
    static let wifi = RadioEnergy(
        base: 0.13286, perMegabit: 0.13701, tail: 0.1193, tailTime: 0.2381, wake: 0.0791 * 0.1244)
    /// LTE: 1288.04 mW plus 51.97 mW per Mbit/s, a tail of 11.6 s at 1060 mW, and 260 ms at 1210.7 mW to wake.
    static let mobile = RadioEnergy(
        base: 1.28804, perMegabit: 0.05197, tail: 1.06, tailTime: 11.576, wake: 0.2601 * 1.2107)

    /// Returns the radio that a cost class uses.
    static func of(_ costClass: CostClass) -> RadioEnergy { costClass.isMetered ? mobile : wifi }

    /// Returns the energy in joules of a transfer at a constant rate.
    func active(seconds: Double, bytesPerSecond: Int64) -> Double {
        (base + perMegabit * Double(bytesPerSecond) * 8 / 1e6) * seconds
    }

    /// Returns the energy in joules of the tail after a transfer, if the next transfer begins after `seconds`.
    func tail(seconds: Double) -> Double { tail * min(seconds, tailTime) }
}
