// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// The readings that are debounced, and which of their changes are too urgent for that.
package enum DebouncedReading: String, Hashable, Sendable, CaseIterable {
    /// Whether two sources disagree about power.
    case power
    /// The way to the internet.
    case path
    /// The price that a network service tells.
    case price

    /// The default time that a change must hold.
    package var defaultTime: Duration {
        switch self {
        case .power: .milliseconds(200)
        case .path: .milliseconds(50)
        case .price: .milliseconds(150)
        }
    }

    /// Returns whether another kind of network counts at once: no network is left, or bytes begin to cost.
    package static func isUrgent(from former: LinkKind?, to kind: LinkKind?) -> Bool {
        guard let former else { return false }
        guard let kind else { return true }
        return former.tendsToBeFree && !kind.tendsToBeFree
    }

    /// Returns whether a price counts at once: bytes cost, or are said to.
    package static func isUrgent(_ price: Metered?) -> Bool { price == .yes || price == .guessYes }
}

extension LinkKind {
    /// Whether networks of this kind usually cost nothing.
    fileprivate var tendsToBeFree: Bool { self == .ethernet || self == .wifi }
}
