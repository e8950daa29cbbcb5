// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
internal import TransferQueue

// Transfers with an attempt: plain as the queue handed them out, or whole.

extension SchedulerCore where Queue: ~Copyable {
    /// Where a transfer with an attempt is, made whole; nil where it has none.
    mutating func activeIndex(of id: TransferID) -> Int32? {
        guard let index = active.number(of: id) else { return nil }
        makeWhole(index)
        return index
    }

    func holdsSlot(_ id: TransferID) -> Bool { active.number(of: id) != nil }

    func entry(of id: TransferID) -> TransferEntry? {
        guard let index = active.number(of: id) else { return queue.entry(of: id) }
        return whole(index)?.entry ?? active[index].entry
    }

    /// The whole of a transfer that is plain; nil where it is whole already.
    private func whole(_ index: Int32) -> ActiveTransfer? {
        active.plain(index).map { plain, since in
            ActiveTransfer(id: active.id(index), entry: queue.entry(of: plain), since: since, configuration)
        }
    }

    /// Whether any that runs has its server elsewhere.
    var usesNetwork: Bool {
        var isUsed = false
        active.forEach { if !$1.entry.traits.isLoopback { isUsed = true } }
        return isUsed
    }

    private mutating func makeWhole(_ index: Int32) {
        if let whole = whole(index) { active.replace(index, by: whole) }
    }

    /// Makes all whole that have an attempt.
    mutating func makeWhole() {
        var index = active.first
        while index != Int32.nowhere {
            makeWhole(index)
            index = active.next(after: index)
        }
    }

    /// Ends an attempt; its transfer is in no list until it is put into one.
    mutating func endAttempt(at index: Int32, now: Moment, isOver: Bool = false) -> TransferEntry {
        var entry = active[index].entry
        active.remove(index)
        queue.freeSlots(of: entry.traits)
        // Of what is over nobody asks how long it ran.
        if !isOver, case .running(let attempt) = entry.phase {
            entry.addRun(from: attempt.since, to: now)
        }
        noteRunning(isLoopback: entry.traits.isLoopback, at: now)
        return entry
    }

    /// A plain transfer has come to its end: nothing remembers it.
    mutating func end(
        _ id: TransferID, _ plain: PlainRecord, _ ending: Ending, into effects: inout [Effect]
    ) {
        totals.remove(plain.kind, bytes: plain.bytesRemaining, deadline: plain.deadline)
        expiries.remove(id)
        watches.remove(id)
        effects.append(.end(id, ending))
    }
}
