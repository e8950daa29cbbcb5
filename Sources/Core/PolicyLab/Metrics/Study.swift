// SPDX-License-Identifier: Apache-2.0

/// The results of several policies on the same devices.
public struct Study: Sendable {
    /// One policy's results.
    public struct Line: Sendable {
        /// The policy as it was asked for.
        public var name: String
        /// By device, in the study's order.
        public var devices: [Summary]
        /// All devices taken together.
        public var pooled: Summary
        /// How far the share of late bytes may move with the choice of devices; nil for a single device.
        public var lateShareInterval: ClosedRange<Double>?
        /// The same for what bytes on time cost for each 10⁶ asked for.
        public var costInterval: ClosedRange<Double>?
        /// The same for the difference of the share of late bytes to the first policy's, on the same devices.
        public var lateShareDifference: ClosedRange<Double>?
        /// The same for the difference of the cost.
        public var costDifference: ClosedRange<Double>?
    }

    /// The devices, in order.
    public private(set) var devices: [String]
    /// The policies, in the order in which they were asked for.
    public private(set) var lines: [Line] = []
    /// The least share of late bytes that is possible, 0…1.
    public private(set) var leastLateShare = 0.0
    /// The same for whoever never uses a metered network.
    public private(set) var leastLateShareUnmetered = 0.0

    /// What was asked of one policy: its name, and its outcomes by device; nil stands for the optimum.
    public typealias Result = (name: String, outcomes: [DeviceOutcome]?)

    /// A study from all results.
    ///
    /// - Parameters:
    ///   - results: one a policy.
    ///   - optima: by device.
    ///   - seed: of the draws for the intervals.
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
                let like = reference.isEmpty ? [] : [reference[index]]
                let other = Summary(like, optima: [optima[index]], settings: settings)
                return Summary([optima[index]], like: other, settings: settings)
            }
            let pooled =
                outcomes.map { Summary($0, optima: optima, settings: settings) }
                ?? Summary(
                    optima, like: Summary(reference, optima: optima, settings: settings), settings: settings)
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
