// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy

/// The few transfers whose wait reasons clients watch, with the reasons that were last reported.
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

    mutating func add(_ id: TransferID) {
        guard index(of: id) == nil else { return }
        watches.insert(Watch(id: id, reasons: []), at: watches.firstIndex { $0.id > id } ?? watches.count)
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

    // A linear search suffices, because each event visits all watches anyway.
    private func index(of id: TransferID) -> Int? { watches.firstIndex { $0.id == id } }
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
        switch self {
        case .windowTooShort(let needed, _): .windowTooShort(needed: needed, left: .zero)
        case .notBefore, .rateLimited, .onBattery, .batteryLow, .powerUnknown, .metered, .noNetwork, .captivePortal,
            .networkKind, .connectionDenied, .outsideWindow, .budgetSpent, .debouncing, .waitingForSlot, .backoff,
            .retryAfter, .storageLow, .suspended, .held, .needsApp, .aboutToSleep, .aboutToShutDown, .price,
            .priceUnknown:
            self
        }
    }
}
