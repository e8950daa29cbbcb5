// SPDX-License-Identifier: Apache-2.0
public import TransferModel
internal import TransferPolicy

/// Turns of being on and off, of Weibull lengths in seconds.
public struct Alternation: Hashable, Sendable {
    /// How long it is on at a time.
    public var on: Weibull
    /// How long it is off at a time.
    public var off: Weibull

    /// Turns of two kinds of lengths.
    public init(on: Weibull, off: Weibull) {
        self.on = on
        self.off = off
    }

    /// Turns with a share of time on, above 0 and below 1, a mean time off, and one shape for both; nil where a number is
    /// out of its range.
    public init?(share: Double, meanOff: Double, shape: Double) {
        guard share > 0, share < 1, meanOff > 0, meanOff.isFinite, (0.1...10).contains(shape),
            let on = Weibull(shape: shape, mean: meanOff * share / (1 - share)),
            let off = Weibull(shape: shape, mean: meanOff)
        else { return nil }
        self.init(on: on, off: off)
    }

    /// The share of time on.
    public var share: Double { on.mean / (on.mean + off.mean) }

    /// The share of arrivals that are served within a time: `p + (1 − p) · P(1/k, (D/λ)^k)`.
    ///
    /// Whoever arrives while it is off waits for the rest of that turn, whose distribution is the integral of the turn's
    /// tail over its mean.
    public func shareServed(within delay: Double) -> Double {
        guard delay > 0 else { return share }
        return share + (1 - share) * IncompleteGamma.lower(1 / off.shape, off.powerOfRatio(delay))
    }

    /// A turn: when it begins, in nanoseconds.
    struct Turn {
        var start: Int64
        var isOn: Bool
    }

    /// Turns from 0 to `end`. The first begins with the trace.
    func turns(until end: Int64, using generator: inout SplitMix64) -> [Turn] {
        var turns: [Turn] = []
        var isOn = generator.nextUnit() < share
        var time: Int64 = 0
        while time < end {
            turns.append(Turn(start: time, isOn: isOn))
            let length = (isOn ? on : off).value(using: &generator)
            // At least a microsecond, so that time goes by; what lasts longer than the trace ends with it.
            time += Int64(min(max(length * 1e9, 1000), Double(end)))
            isOn.toggle()
        }
        return turns
    }
}

/// A device that has free Wi-Fi, and has not, in turns; power likewise where asked for.
///
/// Synthetic days are for tests and for scale: real days have hours of the day and of the week, these have none, and
/// in these power and network know nothing of each other.
public struct RenewalModel: Hashable, Sendable {
    /// Wi-Fi, and none.
    public var wifi: Alternation
    /// Mains, and none; nil for always on mains.
    public var mains: Alternation?
    /// What there is while there is no Wi-Fi: `cell` or `none`.
    public var otherNetwork: Trace.Network = .cell

    /// A model.
    public init(wifi: Alternation, mains: Alternation? = nil) {
        self.wifi = wifi
        self.mains = mains
    }

    /// The model whose turns fit those of traces best; nil where these show too few.
    public init?(fitting traces: [Trace]) {
        let analysis = TraceAnalysis(traces)
        func fitted(_ kind: TraceAnalysis.Kind) -> Alternation? {
            guard let on = Weibull(fitting: analysis.lengths(of: kind, true)),
                let off = Weibull(fitting: analysis.lengths(of: kind, false))
            else { return nil }
            return Alternation(on: on, off: off)
        }
        guard let wifi = fitted(.unmetered), let mains = fitted(.ac) else { return nil }
        self.init(wifi: wifi, mains: mains)
    }

    /// The days of one device, up to 40 000; nil for none or more.
    public func trace(device: String, days: Double, start: WallTime, seed: UInt64) -> Trace? {
        guard days > 0, days <= 40_000 else { return nil }
        var generator = SplitMix64(seed: seed)
        let end = Int64(days * 86_400 * 1e9)
        let network = wifi.turns(until: end, using: &generator)
        let power = mains?.turns(until: end, using: &generator) ?? [Alternation.Turn(start: 0, isOn: true)]
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
