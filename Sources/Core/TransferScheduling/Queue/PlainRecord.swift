// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// What a record said that is in the queue no longer, with what it shared with others there: all there is to say of a transfer.
///
/// Its lane must not be forgotten meanwhile, which whoever runs holds.
struct PlainRecord: PlainTransfer {
    let wishes: TransferRecord.Wishes
    let lane: Int32
    let family: Int32
    let level: Int32
    let kind: WorkKind
    let isLoopback: Bool
    let hasWindow: Bool

    @inline(__always)
    init(
        wishes: TransferRecord.Wishes, lane: Int32, family: Int32, level: Int32,
        _ key: Requirements.PackedRequirement
    ) {
        self.wishes = wishes
        self.lane = lane
        self.family = family
        self.level = level
        kind = key.kind
        isLoopback = key.isLoopback
        hasWindow = key.window != TransferRecord.none
    }

    var bytesRemaining: Int64? { wishes.expected < 0 ? nil : wishes.expected }

    var deadline: WallTime? {
        wishes.deadline == .max ? nil : WallTime(nanosecondsSinceEpoch: wishes.deadline)
    }
}

extension IndexedQueue {
    mutating func freeSlots(of plain: PlainRecord) { freeSlots(lane: plain.lane) }
}
