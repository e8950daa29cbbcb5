// SPDX-License-Identifier: Apache-2.0
public import TransferModel
internal import TransferPolicy

/// A process that alternates between on and off, with Weibull-distributed lengths in seconds.
///
/// ```swift
/// if let wifi = Alternation(share: 0.65, meanOff: 2400, shape: 0.55) { print(wifi.shareServed(within: 3600)) }
/// ```
public struct Alternation: Hashable, Sendable {
    /// The distribution of the on periods.
    public var on: Weibull
    /// The distribution of the off periods.
    public var off: Weibull

    /// Creates an alternation from two distributions.
    public init(on: Weibull, off: Weibull) {
        self.on = on
        self.off = off
    }

    /// Creates an alternation with the same shape for both periods. Returns `nil` if a number is out of range.
    ///
    /// - Parameters:
    ///   - share: The share of time on, above 0 and below 1.
    ///   - meanOff: The mean off period in seconds, above 0.
    ///   - shape: The Weibull shape, 0.1…10.
    public init?(share: Double, meanOff: Double, shape: Double) {
        guard share > 0, share < 1, meanOff > 0, meanOff.isFinite, (0.1...10).contains(shape),
            let on = Weibull(shape: shape, mean: meanOff * share / (1 - share)),
            let off = Weibull(shape: shape, mean: meanOff)
        else { return nil }
        self.init(on: on, off: off)
    }

    /// The share of time on.
    public var share: Double { on.mean / (on.mean + off.mean) }

    /// Returns the share of arrivals that are served within a time: `p + (1 − p) · P(1/k, (D/λ)^k)`.
    ///
    /// An arrival in an off period waits for the rest of the period. The distribution of the rest is the integral of
    /// the period's tail, divided by its mean.
    public func shareServed(within delay: Double) -> Double {
        guard delay > 0 else { return share }
        return share + (1 - share) * IncompleteGamma.lower(1 / off.shape, off.powerOfRatio(delay))
    }

    /// A period, with its start in nanoseconds.
    struct AlternationPeriod {
        var start: Int64
        var isOn: Bool
    }

    /// Returns periods from 0 to `end`. The first period begins at 0.
    func periods(until end: Int64, using generator: inout SplitMix64) -> [AlternationPeriod] {
        var periods: [AlternationPeriod] = []
        var isOn = generator.nextUnit() < share
        var time: Int64 = 0
        while time < end {
            periods.append(AlternationPeriod(start: time, isOn: isOn))
            let length = (isOn ? on : off).value(using: &generator)
            // A period lasts at least a microsecond, so that time advances. A period that is longer than the trace
            // ends with it.
            time += Int64(min(max(length * 1e9, 1000), Double(end)))
            isOn.toggle()
        }
        return periods
    }
}

/// A model of a device whose unmetered Wi-Fi, and optionally AC power, alternates between on and off.
///
/// Synthetic days are for tests and for scale. Real days depend on the hour and the weekday, and synthetic days do
/// not. In synthetic days, power and network are also independent of each other.
///
/// ```swift
/// if let wifi = Alternation(share: 0.65, meanOff: 2400, shape: 0.55) {
///     let start = WallTime(secondsSinceEpoch: 1_700_000_000)
///     let trace = RenewalModel(wifi: wifi).trace(device: "renewal", days: 30, start: start, seed: 1)
/// }
/// ```
public struct RenewalModel: Hashable, Sendable {
    /// The periods with and without Wi-Fi.
    public var wifi: Alternation
    /// The periods with and without AC power; `nil` for constant AC power.
    public var acPower: Alternation?
    /// The network in periods without Wi-Fi: `cell` or `none`.
    public var otherNetwork: Trace.Network = .cell

    /// Creates a model.
    public init(wifi: Alternation, acPower: Alternation? = nil) {
        self.wifi = wifi
        self.acPower = acPower
    }

    /// Creates the model whose periods best fit those of traces. Returns `nil` if the traces contain too few periods.
    public init?(fitting traces: [Trace]) {
        let analysis = TraceAnalysis(traces)
        func fitted(_ kind: TraceAnalysis.Kind) -> Alternation? {
            guard let on = Weibull(fitting: analysis.lengths(of: kind, true)),
                let off = Weibull(fitting: analysis.lengths(of: kind, false))
            else { return nil }
            return Alternation(on: on, off: off)
        }
        guard let wifi = fitted(.unmetered), let acPower = fitted(.ac) else { return nil }
        self.init(wifi: wifi, acPower: acPower)
    }

    /// Returns the days of one device. Returns `nil` unless `days` is above 0 and at most 40,000.
    public func trace(device: String, days: Double, start: WallTime, seed: UInt64) -> Trace? {
        guard days > 0, days <= 40_000 else { return nil }
        var generator = SplitMix64(seed: seed)
        let end = Int64(days * 86_400 * 1e9)
        let network = wifi.periods(until: end, using: &generator)
        let power =
            acPower?.periods(until: end, using: &generator) ?? [Alternation.AlternationPeriod(start: 0, isOn: true)]
        var segments: [Trace.Segment] = []
        let bounds = (network.map(\.start) + power.map(\.start) + [end]).sorted()
        var (networkIndex, powerIndex) = (0, 0)
        for (from, to) in zip(bounds, bounds.dropFirst()) where from < to {
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
