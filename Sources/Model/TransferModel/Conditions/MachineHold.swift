// SPDX-License-Identifier: Apache-2.0

/// Somebody's hold on all transfers of the machine: none starts, and what runs is stopped with its bytes kept.
///
/// A value behind a reference, since conditions are copied with every event and hardly ever hold anything.
public final class MachineHold: Hashable, Sendable {
    /// Who holds them, for people.
    public let holder: String
    /// Why, for people.
    public let why: String
    /// When it ends by itself; nil where somebody has to release it. Who sets the hold sees to that.
    public let until: WallTime?

    /// A hold.
    public init(by holder: String, why: String, until: WallTime? = nil) {
        self.holder = holder
        self.why = why
        self.until = until
    }

    /// Holds by the same of the same are equal.
    public static func == (left: MachineHold, right: MachineHold) -> Bool {
        left === right || (left.holder, left.why, left.until) == (right.holder, right.why, right.until)
    }

    /// Adds all of it.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(holder)
        hasher.combine(why)
        hasher.combine(until)
    }
}
