// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

// Many transfers that ask for the same, taken in one after the other.

extension IndexedQueue {
    struct SharedPlace: Sendable {
        let bucket: Int32
        let lane: Int32
    }

    mutating func insert(_ row: RecoveredTransfers.Row, at shared: SharedPlace) {
        lanes.join(again: shared.lane)
        let place = records.take(TransferRecord(row, bucket: shared.bucket))
        enter(row.id, at: place)
        buckets[shared.bucket].pointee.members += 1
        link(place)
    }

    func sharedPlace(of id: TransferID) -> SharedPlace? {
        guard let place = place(of: id.rawValue) else { return nil }
        let record = records[place].pointee
        // Where a policy tells them apart by more, or is asked about each, it is to be asked.
        guard record.isLinked, record.extra == TransferRecord.none, !record.state.contains(.individual) else {
            return nil
        }
        let shelf = shelves[appQueues[buckets[record.bucket].pointee.appQueue].pointee.shelf]
        let family = requirements.family(ofClass: shelf.pointee.number)
        guard family.traits.kind != .discretionary || family.stageCount == 1 else { return nil }
        return SharedPlace(bucket: record.bucket, lane: buckets[record.bucket].pointee.lane)
    }
}
