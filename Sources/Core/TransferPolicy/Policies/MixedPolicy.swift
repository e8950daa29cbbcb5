// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// A policy that decides each transfer by the policy that the transfer names, and every other transfer by a base policy.
///
/// A transfer costs what its own policy costs: only the transfers whose policies have no tables are evaluated on every
/// event.
///
/// ```swift
/// let policy = MixedPolicy(base: PatiencePolicy(), names: ["ladder:bat=0.25"])
/// traits.policy = "ladder:bat=0.25"
/// ```
public struct MixedPolicy: TablePolicy {
    /// The policy of transfers that name none.
    public let base: any Policy

    /// The policies of the names that were known when this policy was created.
    private let own: [String: any Policy]
    /// The policies with tables, in the order of their names. Asked for at each change of conditions.
    private let tables: [any TablePolicy]

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - base: The policy of transfers that name none.
    ///   - names: The names that transfers use. A transfer with another name gets the policy of that name, which is parsed
    ///     at each evaluation.
    public init(base: any Policy, names: some Sequence<String> = []) {
        self.base = base
        own = Dictionary(names.compactMap { name in Self.named(name).map { (name, $0) } }) { first, _ in first }
        tables = ([base] + own.sorted { $0.key < $1.key }.map(\.value)).compactMap { $0 as? any TablePolicy }
    }

    /// Returns the table of the transfer's policy, if that policy was known in advance and has one.
    public func table(for traits: TransferTraits, after history: PolicyHistory) -> PolicyTable? {
        guard let policy = traits.policy.map({ own[$0] }) ?? base else { return nil }
        return (policy as? any TablePolicy)?.table(for: traits, after: history)
    }

    /// Returns the verdict of the transfer's policy. A name that the catalog does not know counts as no name.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        policy(of: subject.traits).verdict(for: subject, in: context)
    }

    /// Returns the outlook of the transfer's policy.
    public func outlook(for subject: PolicySubject, in context: PolicyContext) -> PowerOutlook? {
        policy(of: subject.traits).outlook(for: subject, in: context)
    }

    /// Returns the keys of all policies as one number.
    public func tableKey(after history: PolicyHistory) -> Int64 {
        tables.reduce(0) { $0 &* 1_000_003 &+ $1.tableKey(after: history) }
    }

    /// The longest waits of all policies.
    public var longestWaits: [Duration] { Set(tables.flatMap(\.longestWaits)).sorted() }

    /// A Boolean value that indicates whether one of the policies has no tables.
    public var decidesIndividually: Bool {
        tables.count < own.count + 1 || tables.contains(where: \.decidesIndividually)
    }

    private func policy(of traits: TransferTraits) -> any Policy {
        guard let name = traits.policy else { return base }
        return own[name] ?? Self.named(name) ?? base
    }

    private static func named(_ name: String) -> (any Policy)? { try? PolicyCatalog.policy(named: name) }
}
