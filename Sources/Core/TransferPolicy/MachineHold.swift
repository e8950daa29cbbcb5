// SPDX-License-Identifier: Apache-2.0

/// Somebody's hold on all transfers of the machine: none starts, and what runs is stopped with its bytes kept.
public struct MachineHold: Hashable, Sendable {
    /// Who holds them, for people.
    public var holder: String
    /// Why, for people.
    public var why: String
    /// When it ends by itself; nil where somebody has to release it. Who sets the hold sees to that.
    public var until: WallTime?

    /// A hold.
    public init(by holder: String, why: String, until: WallTime? = nil) {
        self.holder = holder
        self.why = why
        self.until = until
    }

    /// What it says to a transfer.
    public static func verdict(under conditions: Conditions) -> Verdict {
        guard let hold = conditions.hold.value else { return .run(relyingOn: [], lookAgain: nil) }
        return .hold([Hold(.held(by: hold.holder, why: hold.why), from: conditions.hold)], lookAgain: nil)
    }
}
