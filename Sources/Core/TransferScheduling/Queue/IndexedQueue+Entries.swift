// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

// Where transfers are, and what they were taken in as.

extension IndexedQueue {
    func entry(of id: TransferID) -> TransferEntry? {
        place(of: id.rawValue).map { entry(at: $0) }
    }

    func forEach(_ body: (TransferID, borrowing TransferEntry) -> Void) {
        for id in sortedIDs() {
            if let place = place(of: id) { body(TransferID(id), entry(at: place)) }
        }
    }

    /// Where a transfer is; nil where it is not here.
    @inline(__always)
    func place(of id: Int64) -> Int32? {
        index.find(UInt64(bitPattern: id)) { records[$0].pointee.id == id }
    }

    /// Notes where a new transfer is.
    @inline(__always)
    mutating func enter(_ id: TransferID, at place: Int32) {
        if index.isFull { growIndex(without: place) }
        index.insert(UInt64(bitPattern: id.rawValue), place) { UInt64(bitPattern: records[$0].pointee.id) }
        highestID = max(highestID, id.rawValue)
    }

    // By itself the index would read the records in the order of its slots, which is any.
    @inline(never)
    private mutating func growIndex(without new: Int32) {
        index.clearForMore()
        for place in 0..<records.used where place != new && records[place].pointee.bucket != TransferRecord.none {
            index.insert(UInt64(bitPattern: records[place].pointee.id), place) { _ in 0 }
        }
    }

    func sortedIDs() -> [Int64] {
        var ids: [Int64] = []
        for place in 0..<records.used where records[place].pointee.bucket != TransferRecord.none {
            ids.append(records[place].pointee.id)
        }
        return ids.sorted()
    }

    /// The whole entry of a transfer.
    func entry(at place: Int32) -> TransferEntry {
        let extra = records[place].pointee.extra
        if extra != TransferRecord.none { return extras[extra].pointee }
        return plainEntry(at: place)
    }

    /// Puts a record and what it shares with others together again.
    // Apart, because with two ways to end all of it would be copied once more.
    @inline(never)
    private func plainEntry(at place: Int32) -> TransferEntry { entry(of: plainRecord(at: place)) }

    /// A record and what it shares with others.
    @inline(__always)
    func plainRecord(at place: Int32) -> PlainRecord {
        let bucket = buckets[records[place].pointee.bucket]
        let shelf = shelves[appQueues[bucket.pointee.appQueue].pointee.shelf]
        let family = requirements.classes[Int(shelf.pointee.number)].family
        return PlainRecord(
            wishes: records[place].pointee.wishes, lane: bucket.pointee.lane, family: family,
            level: shelf.pointee.level, requirements.key(of: family))
    }

    func entry(of plain: PlainRecord) -> TransferEntry {
        let record = plain.wishes
        let lane = lanes.lanes[plain.lane]
        let family = Int(plain.family)
        var traits = requirements.families[family].traits
        if requirements.families[family].window != TransferRecord.none {
            traits.constraints.window = requirements.families[family].windowConstraint
        }
        traits.host = lane.pointee.key.host
        traits.app = lane.pointee.key.app
        traits.session = lane.pointee.key.session
        traits.slotsPerHost = lane.pointee.key.slotsPerHost
        traits.priority = levels[Int(plain.level)].priority
        traits.submitted = WallTime(nanosecondsSinceEpoch: record.submitted)
        if record.expected >= 0 { traits.expectedBytesToReceive = record.expected }
        if record.expires != .max { traits.expires = WallTime(nanosecondsSinceEpoch: record.expires) }
        if record.deadline != .max {
            traits.constraints.deadline = DeadlineConstraint(WallTime(nanosecondsSinceEpoch: record.deadline))
        }
        if record.notBefore != .min {
            traits.constraints.notBefore = NotBeforeConstraint(
                WallTime(nanosecondsSinceEpoch: record.notBefore))
        }
        return TransferEntry(traits: traits, phase: .waiting(nil))
    }
}
