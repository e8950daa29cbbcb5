// SPDX-License-Identifier: Apache-2.0
import TransferModel
import TransferPolicy

/// The effect of a power loss on changes that were not synced.
package struct PowerLoss: Sendable {
    /// The effect on the bytes of files.
    package enum Bytes: CaseIterable, Sendable {
        /// All bytes are lost.
        case dropped
        /// The earliest writes survive, and the last surviving write may be torn.
        case cut
        /// Random writes survive, in no order. Each surviving write is whole or torn.
        case mixed
        /// All bytes survive.
        case kept
    }
    /// The rule for the durability of names.
    ///
    /// Under both rules, names survive in order, as in every journaling file system: only the latest names are lost.
    package enum Names: CaseIterable, Sendable {
        /// A name is durable after its folder is synced, as POSIX specifies.
        case byFolder
        /// A name is durable after any later sync, as on ext4 and XFS.
        case byJournal
    }

    package var bytes: Bytes
    package var names: Names
    /// The percentage of non-durable names that survive.
    package var keptNames: Int

    package init(bytes: Bytes, names: Names, keptNames: Int) {
        self.bytes = bytes
        self.names = names
        self.keptNames = keptNames
    }

    /// Creates a random power loss.
    package init(using generator: inout some RandomNumberGenerator) {
        bytes = Bytes.allCases.randomElement(using: &generator) ?? .dropped
        names = Names.allCases.randomElement(using: &generator) ?? .byFolder
        keptNames = [0, 100, Int.random(in: 0...100, using: &generator)].randomElement(using: &generator) ?? 0
    }

    /// The size of a sector in bytes. A disk writes a sector completely or not at all.
    static let sector: Int64 = 512

    /// Returns the surviving pieces of a write as ranges of its bytes: all or some of its sectors.
    static func pieces(
        of record: DiskRecord, _ bytes: Bytes, using generator: inout some RandomNumberGenerator
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
        case .cut: return Array(sectors.prefix(Int.random(in: 0...sectors.count, using: &generator)))
        case .mixed:
            if Bool.random(using: &generator) { return sectors }
            return sectors.filter { _ in Bool.random(using: &generator) }
        }
    }
}

/// The durable and the non-durable changes at the time of a power loss.
struct DiskHistory {
    /// The byte changes of each file in order, and whether each change is durable.
    private(set) var bytes: [UInt64: [(index: Int, isDurable: Bool)]] = [:]
    /// The name changes that are not durable, in order.
    private(set) var names: [Int] = []

    init(_ records: [DiskRecord], names rule: PowerLoss.Names) {
        // The position after the last failed sync of each file.
        var from: [UInt64: Int] = [:]
        for (index, record) in records.enumerated() {
            switch record.kind {
            case .write, .truncate: bytes[record.inode, default: []].append((index, false))
            case .sync:
                let count = bytes[record.inode]?.count ?? 0
                for position in from[record.inode, default: 0]..<max(from[record.inode, default: 0], count) {
                    bytes[record.inode]?[position].isDurable = true
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
