// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// A device's recorded days: segments of time in which conditions did not change.
///
/// ```swift
/// let start = WallTime(secondsSinceEpoch: 1_700_000_000)
/// let trace = Trace(
///     device: "phone",
///     segments: [
///         Trace.Segment(start: start, end: start.advanced(by: .seconds(3600)), power: .ac, network: .wifi)
///     ])
/// ```
public struct Trace: Hashable, Sendable {
    /// The kind of network, as named in trace files.
    public enum Network: String, Hashable, Sendable, CaseIterable {
        /// Wireless LAN. Unmetered by default.
        case wifi
        /// A wired network. Unmetered by default.
        case ethernet
        /// A mobile network. Metered by default.
        case cell
        /// No network.
        case none
        /// The network was not recorded.
        case unknown
    }

    /// A period in which conditions did not change, from `start` up to but not including `end`.
    ///
    /// ```swift
    /// let night = Trace.Segment(start: midnight, end: morning, power: .ac, network: .wifi)
    /// ```
    public struct Segment: Hashable, Sendable {
        /// The start of the segment.
        public var start: WallTime
        /// The end of the segment, after `start`.
        public var end: WallTime
        /// The machine's power source.
        public var power: PowerSource
        /// The machine's network.
        public var network: Network
        /// The battery's charge at the start, 0…1; `nil` if it was not recorded.
        public var level: Double?
        /// A Boolean value that indicates whether the machine was asleep.
        public var isSuspended: Bool
        /// The network's rate in bytes per second; `nil` for the default rate of its kind.
        public var rate: Int64?
        /// A Boolean value that indicates whether the network is metered; `nil` for the default of its kind.
        public var metered: Bool?

        /// Creates a segment.
        public init(
            start: WallTime, end: WallTime, power: PowerSource, network: Network, level: Double? = nil,
            isSuspended: Bool = false, rate: Int64? = nil, metered: Bool? = nil
        ) {
            self.start = start
            self.end = end
            self.power = power
            self.network = network
            self.level = level
            self.isSuspended = isSuspended
            self.rate = rate
            self.metered = metered
        }

        /// A Boolean value that indicates whether the network is metered, by ``metered`` or by the default of its kind.
        public var isMetered: Bool { metered ?? (network == .cell) }

        /// The cost of a byte in the segment; `nil` if no byte can move, or if conditions are unknown.
        public var costClass: CostClass? {
            guard !isSuspended, power != .unknown, network != .none, network != .unknown else { return nil }
            return CostClass(isOnAC: power == .ac, isMetered: isMetered)
        }

        /// A Boolean value that indicates whether power and network are both known.
        public var isKnown: Bool { power != .unknown && network != .unknown }
    }

    /// The name of the device, which is the file's name without its extension.
    public var device: String
    /// The segments in chronological order, without overlaps. There is at least one. Gaps between segments are
    /// unknown.
    public private(set) var segments: [Segment]

    /// Creates a trace. Returns `nil` if `segments` is empty, a segment is empty, or a segment begins before the
    /// previous one ends.
    public init?(device: String, segments: [Segment]) {
        guard !segments.isEmpty, segments.allSatisfy({ $0.start < $0.end }),
            zip(segments, segments.dropFirst()).allSatisfy({ $0.end <= $1.start })
        else { return nil }
        self.device = device
        self.segments = segments
    }

    /// The start of the first segment.
    public var start: WallTime { segments[0].start }
    /// The end of the last segment.
    public var end: WallTime { segments[segments.count - 1].end }

    /// Returns the segment that contains a moment; `nil` if nothing was recorded. Takes a binary search.
    public func segment(at date: WallTime) -> Segment? {
        var (low, high) = (0, segments.count)
        while low < high {
            let middle = (low + high) / 2
            if segments[middle].end <= date { low = middle + 1 } else { high = middle }
        }
        guard low < segments.count, segments[low].start <= date else { return nil }
        return segments[low]
    }

    /// The time from start to end, in seconds.
    public var span: Double { start.duration(to: end).labSeconds }

    /// The part of the span in which power or network is unknown, in seconds.
    public var unknownTime: Double {
        segments.reduce(start.duration(to: end)) { $1.isKnown ? $0 - $1.start.duration(to: $1.end) : $0 }.labSeconds
    }
}

/// A class of conditions in which bytes have the same cost, by power source and network price.
public enum CostClass: Int, Hashable, Sendable, CaseIterable {
    /// On AC power, over an unmetered network.
    case acUnmetered
    /// On battery, over an unmetered network.
    case batteryUnmetered
    /// On AC power, over a metered network.
    case acMetered
    /// On battery, over a metered network.
    case batteryMetered

    /// Creates the class for a power source and a network price.
    public init(isOnAC: Bool, isMetered: Bool) {
        self = isMetered ? (isOnAC ? .acMetered : .batteryMetered) : (isOnAC ? .acUnmetered : .batteryUnmetered)
    }

    /// The name of the class in results.
    public var name: String {
        switch self {
        case .acUnmetered: "ac+wifi"
        case .batteryUnmetered: "battery+wifi"
        case .acMetered: "ac+cell"
        case .batteryMetered: "battery+cell"
        }
    }

    /// A Boolean value that indicates whether the network is metered in this class.
    public var isMetered: Bool { self == .acMetered || self == .batteryMetered }
}

extension Duration {
    /// The duration in seconds.
    package var labSeconds: Double { Double(wholeNanoseconds) / 1e9 }
}
