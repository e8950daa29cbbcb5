// SPDX-License-Identifier: Apache-2.0

/// Runs at once on any network.
///
/// The baseline of every comparison: the shortest delay, at whatever price.
public struct ImmediatePolicy: Policy, Hashable {
    /// The rule.
    public init() {}

    /// Always yes: constraints alone decide.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        .run(relyingOn: [], lookAgain: nil)
    }

    static let entry = PolicyCatalog.Entry(name: "immediate", summary: "any network, at once") { _ in
        ImmediatePolicy()
    }
}
