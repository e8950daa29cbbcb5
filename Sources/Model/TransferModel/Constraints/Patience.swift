// SPDX-License-Identifier: Apache-2.0

/// The answer of a user to the question of how much worse it is to be late than to use the battery.
///
/// ```swift
/// let constraints = Constraints(deadline: DeadlineConstraint(tomorrow), patience: .prompt)
/// ```
public enum Patience: String, Hashable, Sendable, Codable, CaseIterable {
    /// Late is little worse than using the battery. The transfer saves the battery where it can.
    case relaxed
    /// Late is much worse than using the battery. The transfer uses the battery if a longer wait is a risk.
    case balanced
    /// Late is far worse than using the battery. The transfer runs at the first opportunity that costs no money.
    case prompt
}
