// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// The rank of a transfer, which decides whether the transfer may preempt another transfer.
package struct Rank: Hashable, Sendable {
    let isUserInitiated: Bool
    let priority: Int
    /// The deadline in nanoseconds since the epoch; `Int64.max` if there is none.
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

    /// Returns whether this rank is high enough to take the other transfer's slot.
    ///
    /// IDs break ties only within an app. Between apps, taking turns breaks ties: otherwise, apps would preempt one
    /// another endlessly.
    package func outranks(_ other: Rank) -> Bool {
        if isUserInitiated != other.isUserInitiated { return isUserInitiated }
        if priority != other.priority { return priority > other.priority }
        if deadline != other.deadline { return deadline < other.deadline }
        return app == other.app && id < other.id
    }
}
