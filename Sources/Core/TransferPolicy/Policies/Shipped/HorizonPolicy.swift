// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// A policy that accepts battery power once the deadline is closer than this machine may be without an unmetered network.
///
/// On AC power and an unmetered network, work runs. On battery, the slack of a transfer decides: the time to the deadline
/// without the time that the remaining bytes need, times 1.5. Work runs if the slack is at most the *horizon*, because a
/// longer wait could miss the present network and find none before the deadline. The horizon is the larger of
/// ``floor`` and ``factor`` times the longest stretch without an unmetered network in ``FreeNetworkHistory``.
///
/// A ``share`` of the time from the submission to the deadline can be reserved for AC power. In this time, battery power is
/// acceptable only if the slack falls to ``margin``.
///
/// A metered network is acceptable if the transfer or the policy allows it, but only during the last hours before the
/// deadline. Afterward, the bytes are late anyway, and do not cost anything more. A transfer that allows metered networks
/// itself keeps the permission after its deadline.
///
/// A transfer without a deadline waits for AC power, until the machine has been awake for three days without it.
///
/// Derivation: one-step look-ahead. An hour of waiting gains the chance of AC power in that hour, and costs the price of
/// lateness times the rate at which stretches begin that are longer than the slack. On recorded days, the rate falls
/// steeply with the length of the stretch and does not depend on the time to the deadline. The horizon is therefore an
/// absolute time and not a share. `transferlab evaluate` chose the numbers; the guide *Comparing policies* has the
/// figures.
///
/// ```swift
/// HorizonPolicy(metered: .seconds(15 * 3600))  // "horizon:metered=15" in the catalog
/// ```
public struct HorizonPolicy: TablePolicy, Hashable {
    /// The least horizon. The default is 42 hours.
    public var floor: Duration
    /// The ratio of the horizon to the longest stretch without an unmetered network. The default is 2.
    public var factor: Double
    /// The slack from which on a metered network is acceptable for every transfer. `nil`, the default, means never.
    public var metered: Duration?
    /// The charge in percent that a battery must exceed until ``lastHours`` before the slack is used up. `nil`, the
    /// default, accepts any charge.
    public var level: Int?
    /// The share of the time from the submission to the deadline in which only AC power will do, 0…1. The default is 0.
    public var share: Double
    /// The awake time without AC power after which work without a deadline stops waiting for it. The default is 3 days.
    public var maximumWait: Duration
    /// The rule for a link whose price no source reports.
    public var unknownMetered: UnknownMeteredRule

    /// The slack from which on a metered network is acceptable for a transfer that allows it itself: 15 hours.
    public static let meteredSlack = Duration.seconds(15 * 3600)
    /// The slack from which on ``level`` no longer applies: 3.5 hours.
    public static let lastHours = Duration.seconds(12_600)
    /// The slack that ends the time reserved by ``share``: 15 minutes.
    public static let margin = Duration.seconds(900)

    /// Creates a policy from its settings. The properties document their defaults.
    public init(
        floor: Duration = .seconds(42 * 3600), factor: Double = 2, metered: Duration? = nil, level: Int? = nil,
        share: Double = 0, maximumWait: Duration = .seconds(3 * 86_400),
        unknownMetered: UnknownMeteredRule = UnknownMeteredRule()
    ) {
        self.floor = floor
        self.factor = factor
        self.metered = metered
        self.level = level
        self.share = share
        self.maximumWait = maximumWait
        self.unknownMetered = unknownMetered
    }

    /// Returns the horizon, in whole minutes, rounded up. It changes the dates of all transfers, so it must change rarely.
    private func horizon(after history: PolicyHistory) -> Duration { .seconds(60 * tableKey(after: history)) }

    /// Returns the horizon in minutes.
    public func tableKey(after history: PolicyHistory) -> Int64 {
        let learned = Double(history.freeNetwork.longestNanoseconds) / 1e9 * factor
        let seconds = max(Double(floor.wholeNanoseconds) / 1e9, learned.isNaN ? 0 : learned)
        return Int64(min(max(0, (seconds / 60).rounded(.up)), 1e8))
    }

    /// Returns rows by slack for a transfer with a deadline; otherwise, AC power for at most ``maximumWait``.
    public func table(for traits: TransferTraits, after history: PolicyHistory) -> PolicyTable? {
        guard traits.constraints.deadline != nil else {
            return PolicyTable(
                power: [.init(.always, .ac)], network: [.init(.always, traits.cheapestNeed)],
                longestWait: maximumWait, unknownMetered: unknownMetered)
        }
        let horizon = horizon(after: history)
        let battery: PolicyTable.Start =
            share > 0 ? .reserved(share: share, slack: horizon, margin: Self.margin) : .slack(horizon)
        var table = PolicyTable(
            power: [.init(.always, .ac)], network: [.init(.always, .unmetered)],
            basis: factor > 0 ? .absence(history.freeNetwork.longest) : .need, unknownMetered: unknownMetered)
        table.power +=
            level.map { [.init(battery, .battery(above: $0)), .init(.slack(Self.lastHours), .known)] }
            ?? [.init(battery, .known)]
        let isAllowed = traits.constraints.metered == .allowed
        if traits.constraints.metered != .unmetered, let slack = metered ?? (isAllowed ? Self.meteredSlack : nil) {
            table.network.append(.init(.slack(slack), .any))
            if !isAllowed { table.network.append(.init(.deadline, .unmetered)) }
        }
        return table
    }

    /// The awake time without AC power that ends the wait of work without a deadline.
    public var longestWaits: [Duration] { [maximumWait] }

    static let entry = PolicyCatalog.Entry(
        name: "horizon",
        summary: "AC power, or battery once the deadline is closer than the machine may be without unmetered networks",
        parameters: [
            .init(
                "floor", "the least time before the deadline from which battery is accepted", unit: "h", default: 42,
                in: 0...Double.infinity),
            .init("factor", "factor on the longest time without an unmetered network", default: 2, in: 0...1000),
            .init(
                "metered", "time before the deadline from which metered is accepted; 0: never", unit: "h", default: 0,
                in: 0...Double.infinity),
            .init(
                "level", "charge that a battery must exceed until the last 3.5 h; 0: any", unit: "%", default: 0,
                in: 0...100, isWhole: true),
            .init(
                "share", "share of the time to the deadline in which only AC power will do", default: 0, in: 0...1),
            .init(
                "wait", "awake time without AC power after which work without a deadline stops waiting for it",
                unit: "days", default: 3, in: 0...Double.infinity),
        ]
    ) {
        HorizonPolicy(
            floor: Duration(clampingSeconds: $0["floor"] * 3600), factor: $0["factor"],
            metered: $0["metered"] > 0 ? Duration(clampingSeconds: $0["metered"] * 3600) : nil,
            level: $0["level"] > 0 ? Int($0["level"]) : nil, share: $0["share"],
            maximumWait: Duration(clampingSeconds: $0["wait"] * 86_400))
    }
}
