// SPDX-License-Identifier: Apache-2.0
import TransferModel

/// The order in which waiting downloads start: by priority, then by submission.
enum DownloadOrder {
    /// The reference of a position in a list.
    enum Origin: String, Hashable, Sendable {
        case start = "POS_SET"
        case current = "POS_CUR"
        case end = "POS_END"
    }

    /// Returns downloads in the order of their start.
    static func sorted(_ downloads: [TransferStatus]) -> [TransferStatus] {
        downloads.sorted { ($1.priority, $0.id.rawValue) < ($0.priority, $1.id.rawValue) }
    }

    /// Returns the index to which a download moves.
    static func target(of index: Int, by position: Int, from origin: Origin, count: Int) -> Int {
        let base =
            switch origin {
            case .start: 0
            case .current: index
            case .end: count - 1
            }
        let (sum, overflows) = base.addingReportingOverflow(position)
        return overflows ? (position < 0 ? 0 : count - 1) : min(max(sum, 0), count - 1)
    }

    /// Returns the priorities that move a download to another index, for the downloads whose priority changes.
    ///
    /// Usually, only the moved download changes. If no priority is left between its new neighbors, all get new ones.
    ///
    /// - Returns: `nil` if the list has more downloads than there are priorities.
    static func priorities(
        moving index: Int, to target: Int, in downloads: [TransferStatus]
    ) -> [TransferID: Int]? {
        guard index != target else { return [:] }
        var order = downloads
        let moved = order.remove(at: index)
        order.insert(moved, at: target)
        let before = target > 0 ? order[target - 1] : nil
        let after = target + 1 < order.count ? order[target + 1] : nil
        // Among equal priorities, the earlier submission is first.
        let highest = before.map { $0.priority - ($0.id < moved.id ? 0 : 1) } ?? 1000
        let lowest = after.map { $0.priority + (moved.id < $0.id ? 0 : 1) } ?? 0
        if lowest <= highest, (0...1000).contains(lowest), (0...1000).contains(highest) {
            return [moved.id: min(max(moved.priority, lowest), highest)]
        }
        guard order.count <= 1001 else { return nil }
        let step = 1000 / max(order.count - 1, 1)
        var changes: [TransferID: Int] = [:]
        for (place, download) in order.enumerated() where download.priority != 1000 - place * step {
            changes[download.id] = 1000 - place * step
        }
        return changes
    }
}
