// SPDX-License-Identifier: Apache-2.0
import TransferModel

/// The order and the choice of the transfers in the live view.
struct WatchArrangement: Hashable {
    /// The orders that the key `s` steps through.
    enum Sort: String, CaseIterable {
        case state
        case added = "date of submission"
        case name
        case size

        /// The next order, and the first one after the last one.
        var next: Sort {
            let all = Self.allCases + [.state]
            return all[all.firstIndex(of: self).map { $0 + 1 } ?? 0]
        }
    }

    /// The order of the transfers.
    var sort = Sort.state
    /// The text that names, URLs, or states must contain, in any case. An empty text matches all transfers.
    var filter = ""

    /// A description of the arrangement if it differs from the default one, or `nil`.
    var description: String? {
        let parts = [
            filter.isEmpty ? nil : "only \u{201C}\(filter)\u{201D}",
            sort == .state ? nil : "sorted by \(sort.rawValue)",
        ].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    /// Returns the transfers that match the filter, in order. By state: running transfers first, ended transfers last.
    func arranged(_ rows: some Sequence<TransferStatus>) -> [TransferStatus] {
        let wanted = filter.lowercased()
        let matching = rows.filter { row in
            wanted.isEmpty
                || [row.name, row.url, row.state.displayName].contains { $0.lowercased().contains(wanted) }
        }
        return matching.sorted { first, second in
            switch sort {
            case .state: return first.stateKey < second.stateKey
            case .added: return first.id < second.id
            case .name:
                let (one, other) = (first.name.lowercased(), second.name.lowercased())
                return one == other ? first.id < second.id : one < other
            case .size:
                let (one, other) = (first.total ?? first.bytes, second.total ?? second.bytes)
                return one == other ? first.id < second.id : one > other
            }
        }
    }
}

extension TransferStatus {
    /// The position in the order by state.
    fileprivate var stateKey: (Int, Int64) {
        switch state {
        case .running: (0, id.rawValue)
        case .waiting: (1, id.rawValue)
        case .paused: (2, id.rawValue)
        case .finished, .failed, .cancelled: (3, -id.rawValue)
        }
    }
}
