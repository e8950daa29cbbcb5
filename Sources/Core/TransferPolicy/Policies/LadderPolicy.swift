// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// A policy that requires less in fixed steps as the deadline approaches.
///
/// At first, a transfer needs AC power and an unmetered network. After a share of its time, battery power is
/// acceptable. After a larger share, a metered network is acceptable. A transfer without a deadline stays at the
/// first step.
///
/// ```swift
/// LadderPolicy(batteryShare: 0.25)  // "ladder:bat=0.25" in the catalog
/// ```
public struct LadderPolicy: TablePolicy, Hashable {
    /// The share of the time to the deadline after which battery power is acceptable, 0…1. Infinity means never. The
    /// default is 0.5.
    public var batteryShare: Double
    /// The share of the time to the deadline after which a metered network is acceptable, 0…1. Infinity means never.
    /// The default is 0.75.
    public var meteredShare: Double
    /// The rule for a link whose price no source reports.
    public var unknownMetered: UnknownMeteredRule

    /// Creates a policy from its settings. The properties document their defaults.
    public init(
        batteryShare: Double = 0.5, meteredShare: Double = 0.75,
        unknownMetered: UnknownMeteredRule = UnknownMeteredRule()
    ) {
        self.batteryShare = batteryShare
        self.meteredShare = meteredShare
        self.unknownMetered = unknownMetered
    }

    /// Returns rows by share of the time to the deadline.
    public func table(for traits: TransferTraits, after history: PolicyHistory) -> PolicyTable? {
        var table = PolicyTable(
            power: [.init(.always, .ac)], network: [.init(.always, traits.cheapestNeed)], unknownMetered: unknownMetered
        )
        if batteryShare.isFinite { table.power.append(.init(.share(batteryShare), .any)) }
        if meteredShare.isFinite { table.network.append(.init(.share(meteredShare), .any)) }
        return table
    }

    static let entry = PolicyCatalog.Entry(
        name: "ladder", summary: "AC power and unmetered; accepts battery, then metered, as the deadline approaches",
        parameters: [
            .init(
                "bat", "share of the time to the deadline after which battery is accepted", default: 0.5,
                in: 0...Double.infinity),
            .init(
                "cell", "share of the time to the deadline after which metered is accepted", default: 0.75,
                in: 0...Double.infinity),
        ]
    ) { LadderPolicy(batteryShare: $0["bat"], meteredShare: $0["cell"]) }
}
