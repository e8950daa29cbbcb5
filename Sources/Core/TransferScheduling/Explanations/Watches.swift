// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy

/// The few transfers whose wait reasons clients watch, with the reasons that were last reported.
struct Watches: Sendable {
    struct Watch: Sendable {
        let id: TransferID
        var holds: [Hold]
    }

    /// The watches, ordered by id.
    private var watches: [Watch] = []
    /// The time at which a wait reason may change without any event.
    var look: Instant?

    var isEmpty: Bool { watches.isEmpty }
    var indices: Range<Int> { watches.indices }
    subscript(index: Int) -> Watch { watches[index] }

    /// Returns the reasons that were last reported; `nil` if the transfer is not watched.
    func holds(of id: TransferID) -> [Hold]? { index(of: id).map { watches[$0].holds } }

    mutating func add(_ id: TransferID) {
        guard index(of: id) == nil else { return }
        watches.insert(Watch(id: id, holds: []), at: watches.firstIndex { $0.id > id } ?? watches.count)
    }

    mutating func remove(_ id: TransferID) {
        if let index = index(of: id) { watches.remove(at: index) }
        if watches.isEmpty { look = nil }
    }

    /// Clears the reasons of a transfer that starts.
    mutating func started(_ id: TransferID) {
        if let index = index(of: id) { watches[index].holds = [] }
    }

    /// Records the wait reasons of a transfer; returns whether the reasons must be reported.
    mutating func note(_ id: TransferID, _ holds: [Hold]) -> Bool {
        index(of: id).map { note(at: $0, holds) } ?? false
    }

    mutating func note(at index: Int, _ holds: [Hold]) -> Bool {
        let before = watches[index].holds
        guard holds.map(\.reason.withoutCountdown) != before.map(\.reason.withoutCountdown) else { return false }
        watches[index].holds = holds.map { $0.keepingSince(from: before) }
        return true
    }

    // A linear search suffices, because each event visits all watches anyway.
    private func index(of id: TransferID) -> Int? { watches.firstIndex { $0.id == id } }
}

extension Hold {
    /// Returns the hold with the start time of an earlier hold for the same reason, if the reason lies in the
    /// transfer itself.
    func keepingSince(from earlier: [Hold]) -> Hold {
        guard source == nil, let known = earlier.first(where: { $0.reason.code == reason.code }) else { return self }
        var kept = self
        kept.since = known.since
        return kept
    }
}

extension Reason {
    /// The reason without the parts that change as time passes, which are not worth a report. These parts are the
    /// rest of a window, and the renewal time of a run-time budget while another transfer uses it.
    fileprivate var withoutCountdown: Reason {
        switch self {
        case .windowTooShort(let needed, _): .windowTooShort(needed: needed, left: .zero)
        case .budgetSpent(.runTime, _): .budgetSpent(.runTime, renewed: nil)
        case .notBefore, .rateLimited, .onBattery, .batteryLow, .powerUnknown, .metered, .noNetwork, .captivePortal,
            .networkKind, .connectionDenied, .outsideWindow, .budgetSpent, .settling, .waitingForSlot, .backoff,
            .storageLow, .suspended, .held, .needsApp, .aboutToSleep, .aboutToShutDown:
            self
        }
    }
}
