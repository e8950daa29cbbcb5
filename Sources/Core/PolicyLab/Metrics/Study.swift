// SPDX-License-Identifier: Apache-2.0

/// The results of several policies on the same devices.
///
/// ```swift
/// let study = Study(
///     [(name: "strict", outcomes: [outcome]), (name: "oracle", outcomes: nil)], devices: ["phone"],
///     optima: [Optimum(trace, jobs: jobs, settings: settings)], settings: settings, seed: 1)
/// for line in study.table().lines { print(line) }
/// ```
public struct Study: Sendable {
    /// The results of one policy.
    public struct Line: Sendable {
        /// The policy's name as the user gave it.
        public var name: String
        /// The results of each device, in the order of ``Study/devices``.
        public var devices: [Summary]
        /// The results of all devices together.
        public var pooled: Summary
        /// The 95 % confidence interval of the share of late bytes, by resampling devices; `nil` for a single device.
        public var lateShareInterval: ClosedRange<Double>?
        /// The 95 % confidence interval of the cost of on-time bytes per 10⁶ submitted bytes; `nil` for a single
        /// device.
        public var costInterval: ClosedRange<Double>?
        /// The 95 % confidence interval of the difference in the share of late bytes from the first policy, on the
        /// same devices.
        public var lateShareDifference: ClosedRange<Double>?
        /// The 95 % confidence interval of the difference in cost from the first policy, on the same devices.
        public var costDifference: ClosedRange<Double>?
    }

    /// The names of the devices, in order.
    public private(set) var devices: [String]
    /// The results by policy, in the order in which the user named the policies.
    public private(set) var lines: [Line] = []
    /// The lowest possible share of late bytes, 0…1.
    public private(set) var leastLateShare = 0.0
    /// The lowest possible share of late bytes without metered networks, 0…1.
    public private(set) var leastLateShareUnmetered = 0.0

    /// The input for one policy: its name and its outcomes by device. An outcome of `nil` stands for the optimum.
    public typealias Result = (name: String, outcomes: [DeviceOutcome]?)

    /// Creates a study from the outcomes of several policies.
    ///
    /// - Parameters:
    ///   - results: The outcomes, one element per policy.
    ///   - devices: The names of the devices.
    ///   - optima: The optimum of each device. All arrays of outcomes, `devices`, and `optima` must have the same count
    ///     and order: a policy with fewer outcomes than optima is a programming error and stops the program.
    ///   - settings: The settings of the replays.
    ///   - seed: The seed of the draws for the confidence intervals.
    public init(_ results: [Result], devices: [String], optima: [Optimum], settings: ReplaySettings, seed: UInt64) {
        self.devices = devices
        let offered = optima.reduce(0) { $0 + $1.offeredBytes }
        if offered > 0 {
            leastLateShare = optima.reduce(0) { $0 + $1.leastLateShare * $1.offeredBytes } / offered
            leastLateShareUnmetered = optima.reduce(0) { $0 + $1.leastLateShareUnmetered * $1.offeredBytes } / offered
        }
        let reference = results.lazy.compactMap(\.outcomes).first ?? []
        lines = results.map { result in
            let outcomes = result.outcomes
            let devices = optima.indices.map { index -> Summary in
                if let outcomes {
                    return Summary([outcomes[index]], optima: [optima[index]], settings: settings)
                }
                let matching = reference.isEmpty ? [] : [reference[index]]
                let other = Summary(matching, optima: [optima[index]], settings: settings)
                return Summary([optima[index]], matching: other, settings: settings)
            }
            let pooled =
                outcomes.map { Summary($0, optima: optima, settings: settings) }
                ?? Summary(
                    optima, matching: Summary(reference, optima: optima, settings: settings), settings: settings)
            return Line(name: result.name, devices: devices, pooled: pooled)
        }
        addIntervals(Bootstrap(devices: devices.count, seed: seed))
    }

    private mutating func addIntervals(_ bootstrap: Bootstrap) {
        guard let first = lines.first else { return }
        for index in lines.indices {
            let devices = lines[index].devices
            lines[index].lateShareInterval = bootstrap.interval { devices.lateShare(of: $0) }
            lines[index].costInterval = bootstrap.interval { devices.cost(of: $0) }
            guard index > 0 else { continue }
            lines[index].lateShareDifference = bootstrap.interval { draw in
                devices.lateShare(of: draw).flatMap { mine in first.devices.lateShare(of: draw).map { mine - $0 } }
            }
            lines[index].costDifference = bootstrap.interval { draw in
                devices.cost(of: draw).flatMap { mine in first.devices.cost(of: draw).map { mine - $0 } }
            }
        }
    }
}

extension [Summary] {
    fileprivate func lateShare(of draw: [Int]) -> Double? {
        let offered = draw.reduce(0) { $0 + self[$1].offeredBytes }
        return offered > 0 ? draw.reduce(0) { $0 + self[$1].lateBytes + self[$1].undoneBytes } / offered : nil
    }

    fileprivate func cost(of draw: [Int]) -> Double? {
        let bytes = draw.reduce(0) { $0 + self[$1].offeredBytes }
        return bytes > 0 ? draw.reduce(0) { $0 + self[$1].onTimeCost } / (bytes / 1e6) : nil
    }
}
