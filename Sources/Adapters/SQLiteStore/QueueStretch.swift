// SPDX-License-Identifier: Apache-2.0
internal import TransferEngine
internal import TransferPolicy
internal import TransferScheduling

/// A piece of the queue as it was read. Made into transfers apart from that, so that the next piece is read meanwhile.
struct QueueStretch: Sendable {
    /// What decides of one transfer.
    struct Row: Sendable {
        var id: Int64
        var shared: Int64
        var numbers: TraitNumbers
    }

    var rows: [Row] = []
    /// The classes of these rows.
    var classes: [Int64: TransferTraits] = [:]
    /// What few of them have.
    var states: [Int64: RecoveredState] = [:]

    /// How many rows are read at once.
    static let length = 16_384
    /// How many transfers are handed over at once: few enough to stay in the processor's cache.
    static let handful = 1024

    /// The transfers of some of the rows.
    func transfers(_ range: Range<Int>) -> [RecoveredTransfer] {
        // A transfer of each class, to be filled in; those met last by their last digits.
        var patterns: [RecoveredTransfer] = []
        var places: [Int64: Int] = [:]
        var met = [(shared: Int64, place: Int)](repeating: (.min, 0), count: 256)
        func place(_ shared: Int64) -> Int {
            let slot = Int(shared & 255)
            if met[slot].shared == shared { return met[slot].place }
            let place = places[shared] ?? patterns.count
            if place == patterns.count, let traits = classes[shared] {
                patterns.append(RecoveredTransfer(id: TransferID(0), traits: traits))
                places[shared] = place
            }
            met[slot] = (shared, place)
            return place
        }
        var transfers: [RecoveredTransfer] = []
        transfers.reserveCapacity(range.count)
        for row in rows[range] {
            var transfer = patterns[place(row.shared)]
            transfer.id = TransferID(row.id)
            row.numbers.write(to: &transfer.traits)
            if !states.isEmpty, let state = states[row.id] { transfer.state = state }
            transfers.append(transfer)
        }
        return transfers
    }
}
