// SPDX-License-Identifier: Apache-2.0

/// The power supply that a transfer requires.
public enum PowerConstraint: Hashable, Sendable, Codable {
    /// Any power supply, including an unknown one.
    case any
    /// AC power.
    case ac
    /// AC power, or a battery with a charge above this level, in percent, 0…100.
    case acOrBattery(above: Int)
}
