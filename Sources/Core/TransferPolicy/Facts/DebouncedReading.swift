// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// A reading that is debounced. Urgent changes bypass the debounce.
package enum DebouncedReading: String, Hashable, Sendable, CaseIterable {
    /// The disagreement of two sources about the power supply.
    case power
    /// The path to the internet.
    case path
    /// The price that a network service reports.
    case price

    /// The default time for which a change must last.
    package var defaultTime: Duration {
        switch self {
        case .power: .milliseconds(200)
        case .path: .milliseconds(50)
        case .price: .milliseconds(150)
        }
    }

    /// Returns whether a change of link counts immediately: the network is lost, or bytes begin to cost money.
    package static func isUrgent(from former: LinkKind?, to kind: LinkKind?) -> Bool {
        guard let former else { return false }
        guard let kind else { return true }
        return former.isUsuallyUnmetered && !kind.isUsuallyUnmetered
    }

    /// Returns whether a price counts immediately: bytes cost money, or are assumed to.
    package static func isUrgent(_ price: Metered?) -> Bool { price == .yes || price == .guessYes }
}

extension LinkKind {
    /// A Boolean value that indicates whether networks of this kind are usually free.
    fileprivate var isUsuallyUnmetered: Bool { self == .ethernet || self == .wifi }
}
