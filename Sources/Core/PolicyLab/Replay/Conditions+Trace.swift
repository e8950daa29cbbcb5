// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

extension Conditions {
    /// Updates the conditions to a segment of a trace; `nil` stands for a time of which nothing was recorded.
    ///
    /// A time in which power or network is unknown counts as sleep: nothing runs, and nothing is learned.
    mutating func update(to segment: Trace.Segment?, at now: ClockReading) {
        let isKnown = segment?.isKnown ?? false
        sleep.update(
            to: isKnown && segment?.isSuspended == false ? .awake : .aboutToSleep, source: .none, confidence: .reported,
            at: now)
        power.update(to: segment?.power ?? .unknown, source: .none, confidence: .reported, at: now)
        let level = segment?.level.map { Int(($0 * 100).rounded()) }
        battery.update(to: BatteryState(level: level), source: .none, confidence: .reported, at: now)
        let kind = segment?.network ?? .unknown
        network.update(to: kind.reachability, source: .none, confidence: .reported, at: now)
        linkKind.update(to: kind.linkKind, source: .none, confidence: .reported, at: now)
        let isConnected = kind != .none && kind != .unknown
        let meteredState: Metered = isConnected ? (segment?.isMetered == true ? .yes : .no) : .unknown
        metered.update(to: meteredState, source: .none, confidence: .reported, at: now)
    }
}

extension Trace.Network {
    fileprivate var reachability: Reachability {
        switch self {
        case .wifi, .ethernet, .cell: .full
        case .none: .none
        case .unknown: .unknown
        }
    }

    fileprivate var linkKind: LinkKind {
        switch self {
        case .wifi: .wifi
        case .ethernet: .ethernet
        case .cell: .cellular
        case .none, .unknown: .unknown
        }
    }
}
