// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// Where a transfer stands among all, as far as one may take another's slot.
package struct Rank: Hashable, Sendable {
    let isUserInitiated: Bool
    let priority: Int
    /// Nanoseconds since the epoch; `Int64.max` for none.
    let deadline: Int64
    let app: String
    let id: Int64

    package init(_ id: TransferID, _ traits: borrowing TransferTraits) {
        isUserInitiated = traits.kind == .userInitiated
        priority = traits.priority
        deadline = traits.constraints.deadline?.date.nanosecondsSinceEpoch ?? .max
        app = traits.app
        self.id = id.rawValue
    }

    /// Whether it is enough to take the other's slot.
    ///
    /// Between apps no id decides: there turns do, and those that have just had theirs would take slots from one another
    /// without end.
    package func outranks(_ other: Rank) -> Bool {
        if isUserInitiated != other.isUserInitiated { return isUserInitiated }
        if priority != other.priority { return priority > other.priority }
        if deadline != other.deadline { return deadline < other.deadline }
        return app == other.app && id < other.id
    }
}
