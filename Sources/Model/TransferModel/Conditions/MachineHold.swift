// SPDX-License-Identifier: Apache-2.0

/// A hold on all transfers of the machine: none starts, and running transfers stop and keep their bytes.
///
/// A reference type, because conditions are copied with every event and seldom contain a hold.
///
/// ```swift
/// conditions.hold.update(
///     to: MachineHold(by: "Ann", why: "video call"), source: .user, confidence: .reported, at: now)
/// ```
public final class MachineHold: Hashable, Sendable {
    /// The holder of a hold that `transferctl hold` has set.
    package static let user = "the user"
    /// The name of the holder, for users.
    public let holder: String
    /// The reason for the hold, for users. Empty if no reason was given.
    public let why: String
    /// The date on which the hold ends, or `nil` if the user must release it. The code that sets the hold also ends it.
    public let until: WallTime?

    /// Creates a hold. By default, the user must release it.
    public init(by holder: String, why: String, until: WallTime? = nil) {
        self.holder = holder
        self.why = why
        self.until = until
    }

    /// Compares holders, reasons, and end dates.
    public static func == (left: MachineHold, right: MachineHold) -> Bool {
        left === right || (left.holder, left.why, left.until) == (right.holder, right.why, right.until)
    }

    /// Hashes the holder, the reason, and the end date.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(holder)
        hasher.combine(why)
        hasher.combine(until)
    }
}
