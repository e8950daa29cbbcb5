// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// The observations of this machine that policies learn from. The engine's owner keeps the history across restarts.
///
/// Each observation describes the time from the previous observation until now. Time without observations teaches
/// nothing. Time asleep affects only ``freeNetwork``.
///
/// An observation costs a few additions, and one step per hour that has passed.
public struct PolicyHistory: Hashable, Sendable, Codable {
    /// The time since each condition was last present.
    public var conditions = ConditionHistory()
    /// The usual quality of each hour of the local week, from awake time.
    public var week = WeekHabits()
    /// The rate that each connection has shown.
    public var throughput = ThroughputHistory()
    /// The longest stretches without an unmetered network, including time asleep.
    public var freeNetwork = FreeNetworkHistory()
    /// The last observation, or `nil` before the first observation since the start. It is not stored, because the
    /// clock of an earlier run is meaningless now.
    public private(set) var observed: Observation?

    /// The state of the machine at one moment, valid until the next observation.
    public struct Observation: Hashable, Sendable {
        /// The time of the observation.
        public var time: ClockReading
        /// A Boolean value that indicates whether the machine is awake.
        public var isAwake: Bool
        /// A Boolean value that indicates whether the machine runs on AC power.
        public var isOnAC: Bool
        /// A Boolean value that indicates whether an unmetered network is available.
        public var isUnmetered: Bool

        /// Creates an observation from the parts of `conditions` that the history records.
        public init(
            _ conditions: borrowing Conditions, at time: ClockReading,
            treatingUnknownAs rule: UnknownMeteredRule = UnknownMeteredRule()
        ) {
            self.time = time
            isAwake = conditions.sleep.value == .awake
            isOnAC = conditions.power.value == .ac
            isUnmetered = conditions.network.value.isUsable && rule.isMetered(conditions) == nil
        }
    }

    /// Creates an empty history.
    public init() {}

    private enum CodingKeys: String, CodingKey {
        case conditions, week, throughput, freeNetwork
    }

    /// Decodes a stored history. Parts that an earlier version did not store are empty.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        conditions = try container.decodeIfPresent(ConditionHistory.self, forKey: .conditions) ?? conditions
        week = try container.decodeIfPresent(WeekHabits.self, forKey: .week) ?? week
        throughput = try container.decodeIfPresent(ThroughputHistory.self, forKey: .throughput) ?? throughput
        freeNetwork = try container.decodeIfPresent(FreeNetworkHistory.self, forKey: .freeNetwork) ?? freeNetwork
    }

    /// Records that the last observation was valid until now, and that `next` is valid from now on.
    public mutating func observe(_ next: Observation, localTime: LocalTimeRules) {
        elapse(to: next.time, localTime: localTime)
        let isFree = next.isAwake && next.isUnmetered
        // The longest stretch decides about battery on unmetered networks only. It may shrink where no transfer can rely
        // on it: at other times, and when such a network returns.
        let wasFree = observed.map { $0.isAwake && $0.isUnmetered } ?? false
        freeNetwork.observe(
            isFree: isFree, mayForget: !isFree || !wasFree || next.isOnAC, isFirst: observed == nil, at: next.time.wall)
        observed = next
    }

    /// Records that the last observation is valid until `now` and remains valid.
    public mutating func elapse(to now: ClockReading, localTime: LocalTimeRules) {
        guard var last = observed else { return }
        // In nanoseconds, because each part of the history would otherwise convert a duration.
        let elapsed = now.instant.nanoseconds.addingSaturating(last.time.instant.nanoseconds.negatedSaturating)
        last.time = now
        observed = last
        guard elapsed > 0 else { return }
        freeNetwork.add(elapsed, until: now.wall, isFree: last.isAwake && last.isUnmetered)
        guard last.isAwake else { return }
        conditions.add(elapsed, isOnAC: last.isOnAC, isUnmetered: last.isUnmetered)
        week.add(elapsed, until: now.wall, isGood: last.isOnAC && last.isUnmetered, localTime: localTime)
    }
}

extension PolicyContext {
    /// Returns the awake time without `condition` until now, or zero if the condition is present.
    public func awakeTime(without condition: ConditionHistory.Condition) -> Duration {
        let before = history.conditions.awakeTime(without: condition)
        guard let observed = history.observed else { return before }
        let isThere =
            switch condition {
            case .ac: conditions.power.value == .ac
            case .unmetered: observed.isUnmetered
            }
        guard !isThere else { return .zero }
        guard observed.isAwake else { return before }
        return before + max(.zero, observed.time.instant.duration(to: now.instant))
    }
}
