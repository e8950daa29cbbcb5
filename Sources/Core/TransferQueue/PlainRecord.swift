// SPDX-License-Identifier: Apache-2.0
package import TransferModel
internal import TransferPolicy

/// A transfer that runs just as the queue released it. The transfer has no bytes, no failures and no other state of
/// its own yet, and time alone does not stop it. Its concurrency group stays until its slots are freed.
package struct PlainRecord: Sendable {
    let terms: TransferTerms
    // The numbers of the parts that the transfer shares with others in the queue.
    let group: Int32
    let set: Int32
    let level: Int32
    package let kind: WorkKind
    /// A Boolean value that indicates whether the server is on this machine.
    package let isLoopback: Bool
    /// A Boolean value that indicates whether the transfer has a weekly window or a price limit.
    let isTimed: Bool

    init(
        terms: TransferTerms, group: Int32, set number: Int32, level: Int32, _ sets: borrowing Slab<RequirementSet>
    ) {
        self.terms = terms
        self.group = group
        self.set = number
        self.level = level
        let set = sets[number]
        kind = set.pointee.key.kind
        isLoopback = set.pointee.key.isLoopback
        isTimed = set.pointee.isTimed
    }

    /// The expected size in bytes; `nil` if it is unknown.
    package var bytesRemaining: Int64? { terms.expected < 0 ? nil : terms.expected }

    package var deadline: WallTime? {
        terms.deadline == .max ? nil : WallTime(nanosecondsSinceEpoch: terms.deadline)
    }
}

extension WaitingTransfers {
    @inline(__always)
    func plainRecord(at recordIndex: Int32) -> PlainRecord {
        let key = ready.heaps[records[recordIndex].pointee.heap].pointee.key
        let set = requirements.classes[Int(key.requirementClass)].set
        return PlainRecord(
            terms: records[recordIndex].pointee.terms, group: key.group, set: set, level: key.level, requirements.sets)
    }

    /// Returns the complete entry of a transfer that the queue released.
    func entry(of plain: PlainRecord) -> TransferEntry {
        let (terms, group) = (plain.terms, groups.groups[plain.group])
        // Filled in place, because a copy of the traits costs as much as the rest.
        var entry = TransferEntry(
            traits: requirements.sets[plain.set].pointee.traits(
                host: group.pointee.key.host, app: group.pointee.key.app,
                submitted: WallTime(nanosecondsSinceEpoch: terms.submitted)),
            phase: .waiting(nil))
        entry.traits.session = group.pointee.key.session
        entry.traits.slotsPerHost = group.pointee.key.slotsPerHost
        entry.traits.priority = ready.levels[Int(plain.level)].priority
        if terms.expected >= 0 { entry.traits.expectedBytesToReceive = terms.expected }
        if terms.expires != .max {
            entry.traits.expires = WallTime(nanosecondsSinceEpoch: terms.expires)
        }
        entry.traits.constraints.deadline = plain.deadline.map { DeadlineConstraint($0) }
        if terms.notBefore != .min {
            entry.traits.constraints.notBefore = NotBeforeConstraint(
                WallTime(nanosecondsSinceEpoch: terms.notBefore))
        }
        return entry
    }
}
