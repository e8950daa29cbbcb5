// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// A record that has left the queue, with the numbers of what it shared with others there: all there is to say of a
/// transfer. Its concurrency group stays until its slots are freed.
package struct PlainRecord: PlainTransfer {
    let terms: TransferTerms
    let group: Int32
    let set: Int32
    let level: Int32
    package let kind: WorkKind
    package let isLoopback: Bool
    let hasWindow: Bool

    init(terms: TransferTerms, group: Int32, set: Int32, level: Int32, _ key: borrowing RequirementSet.Key) {
        self.terms = terms
        self.group = group
        self.set = set
        self.level = level
        kind = key.kind
        isLoopback = key.isLoopback
        hasWindow = key.constraints.window != nil
    }

    package var bytesRemaining: Int64? { terms.expected < 0 ? nil : terms.expected }

    package var deadline: WallTime? {
        terms.deadline == .max ? nil : WallTime(nanosecondsSinceEpoch: terms.deadline)
    }
}

extension IndexedQueue {
    @inline(__always)
    func plainRecord(at place: Int32) -> PlainRecord {
        let key = ready.heaps[records[place].pointee.heap].pointee.key
        let set = requirements.classes[Int(key.requirementClass)].set
        return PlainRecord(
            terms: records[place].pointee.terms, group: key.group, set: set, level: key.level,
            requirements.sets[set].pointee.key)
    }

    package func entry(of plain: PlainRecord) -> TransferEntry {
        let (terms, group) = (plain.terms, groups.groups[plain.group].pointee.key)
        var traits = requirements.sets[plain.set].pointee.traits(
            host: group.host, app: group.app, submitted: WallTime(nanosecondsSinceEpoch: terms.submitted))
        (traits.session, traits.slotsPerHost) = (group.session, group.slotsPerHost)
        traits.priority = ready.levels[Int(plain.level)].priority
        if terms.expected >= 0 { traits.expectedBytesToReceive = terms.expected }
        if terms.expires != .max { traits.expires = WallTime(nanosecondsSinceEpoch: terms.expires) }
        traits.constraints.deadline = plain.deadline.map { DeadlineConstraint($0) }
        if terms.notBefore != .min {
            traits.constraints.notBefore = NotBeforeConstraint(WallTime(nanosecondsSinceEpoch: terms.notBefore))
        }
        return TransferEntry(traits: traits, phase: .waiting(nil))
    }

    package mutating func freeSlots(of plain: PlainRecord) { freeSlots(ofGroup: plain.group) }
}
