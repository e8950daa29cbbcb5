// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// A policy for a command that the user runs under conditions: a program other than a transfer.
///
/// A command may need no network, and nothing is known about its duration. The conditions of the command are therefore
/// part of the policy, instead of constraints: the deadline ends the wait for all of them, and it is the time of the
/// latest start.
///
/// ```swift
/// let policy = CommandPolicy(conditions: Constraints(power: .ac))
/// ```
package struct CommandPolicy: Policy {
    /// The required power supply, kinds of links, price of the network, and values of custom conditions. Dates and windows are not used.
    package var conditions: Constraints
    /// The policy that decides in addition to the conditions, or `nil` for none.
    package var base: (any Policy)?
    private let unknownMetered = UnknownMeteredRule()

    /// Creates a policy.
    package init(conditions: Constraints = Constraints(), base: (any Policy)? = nil) {
        (self.conditions, self.base) = (conditions, base)
    }

    /// A Boolean value that indicates whether the command waits for a network.
    package var needsNetwork: Bool {
        base != nil || conditions.linkKinds != .any || conditions.metered == .unmetered
    }

    /// Returns permission to run if all conditions hold or the deadline has passed; otherwise, the reasons to wait.
    package func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        var verdict = conditions.power.verdict(under: context.conditions)
        verdict = verdict.and(conditions.custom.verdict(under: context.conditions))
        if needsNetwork {
            verdict = verdict.and(conditions.linkKinds.verdict(under: context.conditions))
                .and(conditions.metered.verdict(under: context.conditions, treatingUnknownAs: unknownMetered))
        }
        if let base {
            var subject = subject
            subject.traits.isLoopback = false
            subject.traits.constraints.metered = conditions.metered
            subject.traits.constraints.patience = conditions.patience
            verdict = verdict.and(base.verdict(for: subject, in: context))
        }
        return verdict.until(subject.traits.constraints.deadline?.date, in: context)
    }

    /// Returns the outlook of the base policy, if it has one.
    package func outlook(for subject: PolicySubject, in context: PolicyContext) -> PowerOutlook? {
        base?.outlook(for: subject, in: context)
    }
}
