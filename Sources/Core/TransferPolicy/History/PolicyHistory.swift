// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// What this machine has shown so far: all that policies learn from. Kept across restarts by whoever drives the engine.
///
/// Fed by observations: each says how things stood from the last one until now. Time in which nobody observed teaches
/// nothing, time in which the machine slept only what the hours of the day are like. An observation costs a few sums, and one step an hour that has gone by.
public struct PolicyHistory: Hashable, Sendable, Codable {
    /// How long conditions have not been seen.
    public var conditions = ConditionHistory()
    /// How good each hour of the week used to be.
    public var week = WeekHabits()
    /// How good each hour of the day used to be, asleep or not.
    public var day = DayHabits()
    /// How long unmetered networks used to last.
    public var contacts = ContactHistory()
    /// How long each app's transfers ran, and when it was last used.
    public var apps = AppHistory()
    /// What transfers have cost.
    public var spending = Spending()
    /// The last observation; nil before the first since the start, for no clock of the last run means anything now.
    public private(set) var observed: Observation?

    /// How things stood at a moment, and stand until the next one.
    public struct Observation: Hashable, Sendable {
        /// When.
        public var moment: Moment
        /// Whether the machine is awake.
        public var isAwake: Bool
        /// Whether it runs on mains.
        public var isOnAC: Bool
        /// Whether there is a network that costs nothing.
        public var isUnmetered: Bool
        /// The apps whose transfers run, in order.
        public var runningApps: [String]

        /// What `conditions` mean to the history.
        public init(
            _ conditions: borrowing Conditions, at moment: Moment, runningApps: [String] = [],
            treatingUnknownAs rule: UnknownMeteredRule = UnknownMeteredRule()
        ) {
            self.moment = moment
            self.runningApps = runningApps
            isAwake = conditions.sleep.value == .awake
            isOnAC = conditions.power.value == .ac
            isUnmetered = conditions.network.value.isUsable && rule.isMetered(conditions) == nil
        }
    }

    /// Nothing learned yet.
    public init() {}

    private enum CodingKeys: String, CodingKey { case conditions, week, day, contacts, apps, spending }

    /// A history from its stored form; a part that an earlier version did not have is empty.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        conditions = try container.decodeIfPresent(ConditionHistory.self, forKey: .conditions) ?? conditions
        week = try container.decodeIfPresent(WeekHabits.self, forKey: .week) ?? week
        day = try container.decodeIfPresent(DayHabits.self, forKey: .day) ?? day
        contacts = try container.decodeIfPresent(ContactHistory.self, forKey: .contacts) ?? contacts
        apps = try container.decodeIfPresent(AppHistory.self, forKey: .apps) ?? apps
        spending = try container.decodeIfPresent(Spending.self, forKey: .spending) ?? spending
    }

    /// Things stood as last observed until now, and stand like this from now on.
    public mutating func observe(_ next: Observation, localTime: LocalTimeRules) {
        elapse(to: next.moment, localTime: localTime)
        observed = next
        // Now, not when time has passed without it: else what is predicted would change by itself a moment later.
        if next.isAwake, !next.isUnmetered { contacts.end() }
    }

    /// Things have stood as last observed until `now`, and still do.
    public mutating func elapse(to now: Moment, localTime: LocalTimeRules) {
        guard var last = observed else { return }
        let elapsed = last.moment.instant.duration(to: now.instant)
        if now.wall < last.moment.wall { apps.forget(after: now.wall) }
        last.moment = now
        observed = last
        guard elapsed > .zero else { return }
        day.add(elapsed, until: now.wall, isGood: last.isAwake && last.isOnAC && last.isUnmetered)
        guard last.isAwake else { return }
        conditions.add(elapsed, isOnAC: last.isOnAC, isUnmetered: last.isUnmetered)
        week.add(elapsed, until: now.wall, isGood: last.isOnAC && last.isUnmetered, localTime: localTime)
        contacts.add(elapsed, isContact: last.isUnmetered)
        for app in last.runningApps { apps.add(elapsed, until: now.wall, app: app) }
    }
}

extension PolicyContext {
    /// Awake time without `condition` until now; nothing while it is there.
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
        return before + max(.zero, observed.moment.instant.duration(to: now.instant))
    }
}
