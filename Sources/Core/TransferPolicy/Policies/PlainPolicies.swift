// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// A policy that runs work immediately on any network.
///
/// The baseline of every comparison: the shortest delay at any price.
///
/// ```swift
/// let policy: any Policy = ImmediatePolicy()  // "immediate" in the catalog
/// ```
public struct ImmediatePolicy: TablePolicy, Hashable {
    /// Creates the policy, which has no settings.
    public init() {}

    /// Returns a table that requires nothing. Only the transfer's own constraints decide.
    public func table(for traits: TransferTraits, after history: PolicyHistory) -> PolicyTable? { PolicyTable() }

    static let entry = PolicyCatalog.Entry(name: "immediate", summary: "any network, immediately") { _ in
        ImmediatePolicy()
    }
}

/// A policy that runs work only on AC power and an unmetered network, regardless of deadlines.
///
/// Phones have this requirement for backups ("charging and on Wi-Fi").
///
/// ```swift
/// let policy: any Policy = StrictPolicy()  // "strict" in the catalog
/// ```
public struct StrictPolicy: TablePolicy, Hashable {
    /// The rule for a link whose price no source reports.
    public var unknownMetered: UnknownMeteredRule

    /// Creates the policy. By default, unknown Ethernet and Wi-Fi links count as unmetered.
    public init(unknownMetered: UnknownMeteredRule = UnknownMeteredRule()) { self.unknownMetered = unknownMetered }

    /// Returns a row that requires AC power and an unmetered network.
    public func table(for traits: TransferTraits, after history: PolicyHistory) -> PolicyTable? {
        PolicyTable(
            power: [.init(.always, .ac)], network: [.init(.always, traits.cheapestNeed)], unknownMetered: unknownMetered
        )
    }

    static let entry = PolicyCatalog.Entry(name: "strict", summary: "AC power and unmetered") { _ in StrictPolicy() }
}

/// A policy that runs work on any unmetered network, regardless of the power supply.
///
/// Most desktop updaters follow this rule ("not on metered connections").
///
/// ```swift
/// let policy: any Policy = UnmeteredPolicy()  // "unmetered" in the catalog
/// ```
public struct UnmeteredPolicy: TablePolicy, Hashable {
    /// The rule for a link whose price no source reports.
    public var unknownMetered: UnknownMeteredRule

    /// Creates the policy. By default, unknown Ethernet and Wi-Fi links count as unmetered.
    public init(unknownMetered: UnknownMeteredRule = UnknownMeteredRule()) { self.unknownMetered = unknownMetered }

    /// Returns a row that requires an unmetered network.
    public func table(for traits: TransferTraits, after history: PolicyHistory) -> PolicyTable? {
        PolicyTable(network: [.init(.always, traits.cheapestNeed)], unknownMetered: unknownMetered)
    }

    static let entry = PolicyCatalog.Entry(name: "unmetered", summary: "any unmetered network") { _ in
        UnmeteredPolicy()
    }
}
