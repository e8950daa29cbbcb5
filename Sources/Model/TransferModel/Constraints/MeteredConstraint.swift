// SPDX-License-Identifier: Apache-2.0

/// The permission of a transfer to use metered networks, which may cost money.
public enum MeteredConstraint: String, Hashable, Sendable, Codable, CaseIterable {
    /// No statement: the transfer may cost money, unless the policy for discretionary work forbids it.
    case unstated
    /// The transfer may cost money, by explicit permission. A policy that uses only unmetered networks makes an
    /// exception.
    case allowed
    /// The transfer may not cost money.
    case unmetered
}
