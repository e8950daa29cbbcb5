// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// A prediction for users: the date from which a waiting transfer no longer needs AC power, with the reason.
public struct PowerOutlook: Hashable, Sendable {
    /// The date from which battery power is acceptable.
    public var batteryFrom: WallTime
    /// The longest time that this machine has recently been without an unmetered network; zero if unknown.
    public var longestAway: Duration

    /// Creates an outlook.
    public init(batteryFrom: WallTime, longestAway: Duration) {
        self.batteryFrom = batteryFrom
        self.longestAway = longestAway
    }
}

/// A policy that can tell users how long a transfer waits for AC power.
///
/// ```swift
/// let outlook = HorizonPolicy().outlook(for: subject, in: context)
/// ```
public protocol OutlookPolicy: Policy {
    /// Returns the date from which `subject` no longer needs AC power; `nil` if there is no such date in the future.
    func outlook(for subject: PolicySubject, in context: PolicyContext) -> PowerOutlook?
}
