// SPDX-License-Identifier: Apache-2.0
public import TransferPolicy

/// A device that has free Wi-Fi, and has not, in turns of Weibull lengths; power likewise where asked for.
///
/// Synthetic days are for tests and for scale: real days have hours of the day and of the week, these have none.
public struct RenewalModel: Hashable, Sendable {
    /// The share of time with Wi-Fi, above 0 and below 1.
    public var share: Double
    /// The mean length of the times without, in seconds.
    public var meanOff: Double
    /// The Weibull shape of both kinds of period. Real traces show about 0.5.
    public var shape: Double
    /// What there is while there is no Wi-Fi: `cell` or `none`.
    public var otherNetwork: Trace.Network = .cell
    /// The share of time on mains, 0…1; its periods are as long on average. Default 1: always.
    public var shareOnAC: Double = 1
    /// The mean length of the times on battery, in seconds.
    public var meanOnBattery: Double = 14_400

    /// A model; nil where a number is out of its range.
    public init?(share: Double, meanOff: Double, shape: Double) {
        guard share > 0, share < 1, meanOff > 0, meanOff.isFinite, (0.1...10).contains(shape) else { return nil }
        self.share = share
        self.meanOff = meanOff
        self.shape = shape
    }

    /// The share of arrivals that are served within a time: `p + (1 − p) · P(1/k, (D/λ)^k)`.
    ///
    /// Whoever arrives while there is no Wi-Fi waits for the rest of that period, whose distribution is the integral of the
    /// period's tail over its mean.
    public func shareServed(within delay: Double) -> Double {
        guard let off = Weibull(shape: shape, mean: meanOff), delay > 0 else { return share }
        return share + (1 - share) * IncompleteGamma.lower(1 / shape, off.powerOfRatio(delay))
    }

    /// The days of one device.
    ///
    /// The first period is a whole one; whoever wants none of its effect leaves the first days out.
    public func trace(device: String, days: Double, start: WallTime, seed: UInt64) -> Trace? {
        guard let off = Weibull(shape: shape, mean: meanOff),
            let on = Weibull(shape: shape, mean: meanOff * share / (1 - share)), days > 0, days <= 40_000
        else { return nil }
        var generator = SplitMix64(seed: seed)
        let end = Int64(days * 86_400 * 1e9)
        let network = Self.periods(on: on, off: off, share: share, until: end, using: &generator)
        var power = [Period(start: 0, isOn: true)]
        if shareOnAC < 1, let battery = Weibull(shape: shape, mean: meanOnBattery) {
            power = [Period(start: 0, isOn: false)]
            if shareOnAC > 0, let mains = Weibull(shape: shape, mean: meanOnBattery * shareOnAC / (1 - shareOnAC)) {
                power = Self.periods(on: mains, off: battery, share: shareOnAC, until: end, using: &generator)
            }
        }
        return trace(device: device, start: start, end: end, network, power)
    }

    private struct Period {
        var start: Int64
        var isOn: Bool
    }

    private static func periods(
        on: Weibull, off: Weibull, share: Double, until end: Int64, using generator: inout SplitMix64
    ) -> [Period] {
        var periods: [Period] = []
        var isOn = generator.nextUnit() < share
        var time: Int64 = 0
        while time < end {
            periods.append(Period(start: time, isOn: isOn))
            let length = (isOn ? on : off).value(using: &generator)
            // At least a microsecond, so that time goes by; what lasts longer than the trace ends with it.
            time += Int64(min(max(length * 1e9, 1000), Double(end)))
            isOn.toggle()
        }
        return periods
    }

    private func trace(
        device: String, start: WallTime, end: Int64, _ network: [Period], _ power: [Period]
    ) -> Trace? {
        var segments: [Trace.Segment] = []
        let bounds = Set(network.map(\.start) + power.map(\.start) + [end]).sorted()
        var (networkIndex, powerIndex) = (0, 0)
        for (from, to) in zip(bounds, bounds.dropFirst()) {
            while networkIndex + 1 < network.count, network[networkIndex + 1].start <= from { networkIndex += 1 }
            while powerIndex + 1 < power.count, power[powerIndex + 1].start <= from { powerIndex += 1 }
            segments.append(
                Trace.Segment(
                    start: start.advanced(by: .nanoseconds(from)), end: start.advanced(by: .nanoseconds(to)),
                    power: power[powerIndex].isOn ? .ac : .battery,
                    network: network[networkIndex].isOn ? .wifi : otherNetwork))
        }
        return Trace(device: device, segments: segments)
    }
}
