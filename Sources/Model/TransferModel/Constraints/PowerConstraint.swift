// SPDX-License-Identifier: Apache-2.0

/// What power a transfer needs.
public enum PowerConstraint: Hashable, Sendable, Codable {
    /// Any.
    case any
    /// Mains.
    case ac
    /// Mains, or a battery with more than this charge in percent, 0…100.
    case acOrBattery(above: Int)
}
