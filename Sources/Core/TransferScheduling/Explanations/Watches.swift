// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy

/// The transfers whose wait reasons clients watch, with the reasons that were last reported.
struct Watches: Sendable {
    struct Watch: Sendable {
        let id: TransferID
        var reasons: [WaitReason]
    }

    /// The watches, ordered by id.
    private var watches: [Watch] = []
    /// The time at which a wait reason may change without any event.
    var reevaluation: Instant?

    var isEmpty: Bool { watches.isEmpty }
    var indices: Range<Int> { watches.indices }
    subscript(index: Int) -> Watch { watches[index] }

    /// Returns the reasons that were last reported; `nil` if the transfer is not watched.
    func reasons(of id: TransferID) -> [WaitReason]? { index(of: id).map { watches[$0].reasons } }

    /// Adds a transfer. Returns the index of its watch.
    mutating func add(_ id: TransferID) -> Int {
        let place = place(of: id)
        if index(of: id) == nil { watches.insert(Watch(id: id, reasons: []), at: place) }
        return place
    }

    mutating func remove(_ id: TransferID) {
        if let index = index(of: id) { watches.remove(at: index) }
        if watches.isEmpty { reevaluation = nil }
    }

    /// Clears the reasons of a transfer that starts.
    mutating func started(_ id: TransferID) {
        if let index = index(of: id) { watches[index].reasons = [] }
    }

    /// Records the wait reasons of a transfer; returns whether the reasons must be reported.
    mutating func record(_ id: TransferID, _ reasons: [WaitReason]) -> Bool {
        index(of: id).map { record(at: $0, reasons) } ?? false
    }

    mutating func record(at index: Int, _ reasons: [WaitReason]) -> Bool {
        let before = watches[index].reasons
        guard reasons.map(\.reason.withoutCountdown) != before.map(\.reason.withoutCountdown) else { return false }
        watches[index].reasons = reasons.map { $0.keepingSince(from: before) }
        return true
    }

    private func index(of id: TransferID) -> Int? {
        let place = place(of: id)
        return place < watches.count && watches[place].id == id ? place : nil
    }

    /// Returns the index of the first watch whose transfer is `id` or a later one.
    private func place(of id: TransferID) -> Int {
        var places = 0..<watches.count
        while let middle = places.isEmpty ? nil : places.lowerBound + places.count / 2 {
            places = watches[middle].id < id ? (middle + 1)..<places.upperBound : places.lowerBound..<middle
        }
        return places.lowerBound
    }
}

extension WaitReason {
    /// Returns the wait reason with the start time of an earlier wait for the same reason, if the reason lies in the
    /// transfer itself.
    func keepingSince(from earlier: [WaitReason]) -> WaitReason {
        guard source == nil, let known = earlier.first(where: { $0.reason.code == reason.code }) else { return self }
        var kept = self
        kept.since = known.since
        return kept
    }
}

extension Reason {
    /// The reason without the rest of a window, which changes as time passes and is not worth a report.
    fileprivate var withoutCountdown: Reason {
        guard case .windowTooShort(let needed, _) = self else { return self }
        return .windowTooShort(needed: needed, left: .zero)
    }
}
