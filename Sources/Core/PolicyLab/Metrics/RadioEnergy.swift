// SPDX-License-Identifier: Apache-2.0

/// What a phone's radio takes: while bytes move, while it stays awake afterwards, and to wake up.
///
/// Source: Huang, Qian, Gerber, Mao, Sen, Spatscheck, "A Close Examination of Performance and Power Characteristics of 4G
/// LTE Networks", MobiSys 2012, its tables of power and of states, for downloads (the figures were not checked
/// against the source). A laptop's Wi-Fi takes another amount, but the same parts.
struct RadioEnergy {
    /// Watts while the radio is awake and bytes move, at no speed.
    let base: Double
    /// Watts for each megabit a second.
    let perMegabit: Double
    /// Watts while it stays awake after a transfer.
    let tail: Double
    /// For how long it does, in seconds.
    let tailTime: Double
    /// Joules to wake up.
    let wake: Double

    /// Wi-Fi: 132.86 mW and 137.01 mW a Mbit/s; a tail of 238 ms at 119.3 mW; 79 ms at 124.4 mW to wake.
    static let wifi = RadioEnergy(
        base: 0.13286, perMegabit: 0.13701, tail: 0.1193, tailTime: 0.2381, wake: 0.0791 * 0.1244)
    /// LTE: 1288.04 mW and 51.97 mW a Mbit/s; a tail of 11.6 s at 1060 mW; 260 ms at 1210.7 mW to wake.
    static let mobile = RadioEnergy(
        base: 1.28804, perMegabit: 0.05197, tail: 1.06, tailTime: 11.576, wake: 0.2601 * 1.2107)

    /// The radio of a class.
    static func of(_ costClass: CostClass) -> RadioEnergy { costClass.isMetered ? mobile : wifi }

    /// Joules for bytes at a rate.
    func active(seconds: Double, bytesPerSecond: Int64) -> Double {
        (base + perMegabit * Double(bytesPerSecond) * 8 / 1e6) * seconds
    }

    /// Joules after a transfer that is followed by nothing for so long.
    func tail(seconds: Double) -> Double { tail * min(seconds, tailTime) }
}
