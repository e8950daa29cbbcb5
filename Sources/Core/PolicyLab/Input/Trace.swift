// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// What a machine's days were like: stretches of time in which nothing changed.
public struct Trace: Hashable, Sendable {
    /// The kind of network, as traces tell it.
    public enum Network: String, Hashable, Sendable, CaseIterable {
        /// Wireless LAN, free unless said otherwise.
        case wifi
        /// A cable, free unless said otherwise.
        case ethernet
        /// A mobile network, metered unless said otherwise.
        case cell
        /// None.
        case none
        /// Nobody recorded it.
        case unknown
    }

    /// A stretch of time in which nothing changed: from `start` up to but not at `end`.
    public struct Segment: Hashable, Sendable {
        /// When it begins.
        public var start: WallTime
        /// When it is over, after `start`.
        public var end: WallTime
        /// What the machine ran on.
        public var power: PowerSource
        /// What network it had.
        public var network: Network
        /// The battery's charge at the start, 0…1; nil where nobody recorded it.
        public var level: Double?
        /// Whether the machine slept.
        public var isSuspended: Bool
        /// What the network carried, in bytes a second; nil for the usual rate of its kind.
        public var rate: Int64?
        /// Whether bytes cost money; nil where the kind of network tells it.
        public var metered: Bool?

        /// A segment.
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

        /// Whether bytes cost money.
        public var isMetered: Bool { metered ?? (network == .cell) }

        /// What a byte costs in it; nil where none can move, as far as anybody knows.
        public var costClass: CostClass? {
            guard !isSuspended, power != .unknown, network != .none, network != .unknown else { return nil }
            return CostClass(isOnAC: power == .ac, isMetered: isMetered)
        }

        /// Whether power and network are both known.
        public var isKnown: Bool { power != .unknown && network != .unknown }
    }

    /// Whose days they are: the file's name without its ending.
    public var device: String
    /// In order, without overlaps; what lies between them is unknown. At least one.
    public private(set) var segments: [Segment]

    /// A trace; nil where a segment is empty or begins before the one before it ends, or there is none.
    public init?(device: String, segments: [Segment]) {
        guard !segments.isEmpty, segments.allSatisfy({ $0.start < $0.end }),
            zip(segments, segments.dropFirst()).allSatisfy({ $0.end <= $1.start })
        else { return nil }
        self.device = device
        self.segments = segments
    }

    /// When it begins.
    public var start: WallTime { segments[0].start }
    /// When it is over.
    public var end: WallTime { segments[segments.count - 1].end }

    /// The segment in which a moment lies; nil where nothing was recorded. Costs a search by halves.
    public func segment(at date: WallTime) -> Segment? {
        var (low, high) = (0, segments.count)
        while low < high {
            let middle = (low + high) / 2
            if segments[middle].end <= date { low = middle + 1 } else { high = middle }
        }
        guard low < segments.count, segments[low].start <= date else { return nil }
        return segments[low]
    }

    /// From its start to its end, in seconds.
    public var span: Double { start.duration(to: end).labSeconds }

    /// How much of its span power or network is unknown, in seconds.
    public var unknownTime: Double {
        segments.reduce(start.duration(to: end)) { $1.isKnown ? $0 - $1.start.duration(to: $1.end) : $0 }.labSeconds
    }
}

/// What a byte costs, by power and price of the network.
public enum CostClass: Int, Hashable, Sendable, CaseIterable {
    /// On mains, over a free network.
    case acFree
    /// On battery, over a free network.
    case batteryFree
    /// On mains, over a metered network.
    case acMetered
    /// On battery, over a metered network.
    case batteryMetered

    /// The class of a moment.
    public init(isOnAC: Bool, isMetered: Bool) {
        self = isMetered ? (isOnAC ? .acMetered : .batteryMetered) : (isOnAC ? .acFree : .batteryFree)
    }

    /// As results name it.
    public var name: String {
        switch self {
        case .acFree: "ac+wifi"
        case .batteryFree: "battery+wifi"
        case .acMetered: "ac+cell"
        case .batteryMetered: "battery+cell"
        }
    }

    /// Whether bytes cost money in it.
    public var isMetered: Bool { self == .acMetered || self == .batteryMetered }
}

extension Duration {
    /// In seconds.
    package var labSeconds: Double { Double(wholeNanoseconds) / 1e9 }
}
