// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// A policy that decides each transfer by the policy that the transfer names, and every other transfer by a base policy.
///
/// The policy has no relaxation phases, so a scheduler evaluates each waiting transfer on every event. Use the base
/// policy itself while no transfer names a policy.
///
/// ```swift
/// let policy = MixedPolicy(base: PatiencePolicy(), names: ["ladder:bat=0.25"])
/// traits.policy = "ladder:bat=0.25"
/// ```
public struct MixedPolicy: Policy {
    /// The policy of transfers that name none.
    public let base: any Policy

    /// The policies of the names that were known when this policy was created.
    private let own: [String: any Policy]

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - base: The policy of transfers that name none.
    ///   - names: The names that transfers use. Each is parsed once here; the name of any other policy is parsed at each
    ///     evaluation of its transfers.
    public init(base: any Policy, names: some Sequence<String> = []) {
        self.base = base
        own = Dictionary(names.compactMap { name in Self.named(name).map { (name, $0) } }) { first, _ in first }
    }

    /// Returns the verdict of the transfer's policy. A name that the catalog does not know counts as no name.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        policy(of: subject).verdict(for: subject, in: context)
    }

    private func policy(of subject: PolicySubject) -> any Policy {
        guard let name = subject.traits.policy else { return base }
        return own[name] ?? Self.named(name) ?? base
    }

    private static func named(_ name: String) -> (any Policy)? { try? PolicyCatalog.policy(named: name) }
}

extension MixedPolicy: OutlookPolicy {
    /// Returns the outlook of the transfer's policy, if that policy has one.
    public func outlook(for subject: PolicySubject, in context: PolicyContext) -> PowerOutlook? {
        (policy(of: subject) as? any OutlookPolicy)?.outlook(for: subject, in: context)
    }
}
