// SPDX-License-Identifier: Apache-2.0

/// Whether a transfer may cost money.
public enum MeteredConstraint: String, Hashable, Sendable, Codable, CaseIterable {
    /// Nothing was said: it may, unless the policy for discretionary work says otherwise.
    case unstated
    /// It may: somebody said so, and a policy that keeps to free networks makes an exception for it.
    case allowed
    /// It may not.
    case unmetered
}
