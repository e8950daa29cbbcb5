// SPDX-License-Identifier: Apache-2.0
import TransferModel
import TransferPolicy

/// What of the changes that nobody synced a power loss leaves.
package struct PowerLoss: Sendable {
    /// What becomes of bytes.
    package enum Bytes: CaseIterable, Sendable {
        /// None of them are there.
        case dropped
        /// Those written first are, and the last of them is torn.
        case cut
        /// Some are and some are not, in no order, each of them whole or torn.
        case mixed
        /// All are there.
        case kept
    }
    /// When a name is durable. Either way names are in order, as every journaling file system keeps them: the latest
    /// are missing.
    package enum Names: CaseIterable, Sendable {
        /// When its folder was synced, as POSIX has it.
        case byFolder
        /// When anything was synced after it, as ext4 and XFS do.
        case byJournal
    }

    package var bytes: Bytes
    package var names: Names
    /// Of the names that are not durable, how many in a hundred are there.
    package var keptNames: Int

    package init(bytes: Bytes, names: Names, keptNames: Int) {
        self.bytes = bytes
        self.names = names
        self.keptNames = keptNames
    }

    /// One of all kinds.
    package init(using dice: inout some RandomNumberGenerator) {
        bytes = Bytes.allCases.randomElement(using: &dice) ?? .dropped
        names = Names.allCases.randomElement(using: &dice) ?? .byFolder
        keptNames = [0, 100, Int.random(in: 0...100, using: &dice)].randomElement(using: &dice) ?? 0
    }

    /// A sector: what a disk writes whole or not at all.
    static let sector: Int64 = 512

    /// The pieces of a write that are there, from its first byte: all or some of its sectors.
    static func pieces(
        of record: DiskRecord, _ bytes: Bytes, using dice: inout some RandomNumberGenerator
    ) -> [Range<Int>] {
        let count = record.new.count
        guard record.kind == .write, count > 0 else { return [0..<count] }
        var edges = [0]
        var edge = (record.offset / sector + 1) * sector - record.offset
        while edge < count {
            edges.append(Int(edge))
            edge += sector
        }
        edges.append(count)
        let sectors = zip(edges, edges.dropFirst()).map { $0..<$1 }
        switch bytes {
        case .dropped: return []
        case .kept: return sectors
        case .cut: return Array(sectors.prefix(Int.random(in: 0...sectors.count, using: &dice)))
        case .mixed:
            if Bool.random(using: &dice) { return sectors }
            return sectors.filter { _ in Bool.random(using: &dice) }
        }
    }
}

/// What was durable and what was not when the power went.
struct DiskHistory {
    /// Changes of bytes of each file, in order, and whether they are durable.
    private(set) var bytes: [UInt64: [(index: Int, isDurable: Bool)]] = [:]
    /// Changes of names that are not durable, in order.
    private(set) var names: [Int] = []

    init(_ records: [DiskRecord], names rule: PowerLoss.Names) {
        // Behind each file's last failed sync.
        var from: [UInt64: Int] = [:]
        for (index, record) in records.enumerated() {
            switch record.kind {
            case .write, .truncate: bytes[record.inode, default: []].append((index, false))
            case .sync:
                let count = bytes[record.inode]?.count ?? 0
                for place in from[record.inode, default: 0]..<max(from[record.inode, default: 0], count) {
                    bytes[record.inode]?[place].isDurable = true
                }
                if rule == .byJournal { names = [] }
            case .lost: from[record.inode] = bytes[record.inode]?.count ?? 0
            case .syncFolder:
                let last = names.lastIndex { records[$0].touches(folder: record.first) }
                if rule == .byJournal { names = [] } else if let last { names.removeFirst(last + 1) }
            case .create, .link, .unlink, .rename, .makeFolder: names.append(index)
            }
        }
    }
}
