// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy

/// The transfers somebody wants to be told about, and what was told last; few.
struct Watches: Sendable {
    struct Watch: Sendable {
        let id: TransferID
        var holds: [Hold]
    }

    /// By id.
    private var watches: [Watch] = []
    /// When what they wait for may change by time alone.
    var look: Instant?

    var isEmpty: Bool { watches.isEmpty }
    var indices: Range<Int> { watches.indices }
    subscript(index: Int) -> Watch { watches[index] }

    /// What was told last; nil where nobody watches it.
    func holds(of id: TransferID) -> [Hold]? { index(of: id).map { watches[$0].holds } }

    mutating func add(_ id: TransferID) {
        guard index(of: id) == nil else { return }
        watches.insert(Watch(id: id, holds: []), at: watches.firstIndex { $0.id > id } ?? watches.count)
    }

    mutating func remove(_ id: TransferID) {
        if let index = index(of: id) { watches.remove(at: index) }
        if watches.isEmpty { look = nil }
    }

    /// It runs: there is nothing to explain.
    mutating func started(_ id: TransferID) {
        if let index = index(of: id) { watches[index].holds = [] }
    }

    /// Remembers why a transfer waits; says whether that is to be told.
    mutating func note(_ id: TransferID, _ holds: [Hold]) -> Bool {
        index(of: id).map { note(at: $0, holds) } ?? false
    }

    mutating func note(at index: Int, _ holds: [Hold]) -> Bool {
        let before = watches[index].holds
        guard holds.map(\.reason.withoutCountdown) != before.map(\.reason.withoutCountdown) else { return false }
        watches[index].holds = holds.map { $0.keepingSince(from: before) }
        return true
    }

    // No search that is quicker: after each event all of them are looked at anyway.
    private func index(of id: TransferID) -> Int? { watches.firstIndex { $0.id == id } }
}

extension Hold {
    /// A reason that lies in the transfer itself holds since it was first seen, not since the last look.
    func keepingSince(from earlier: [Hold]) -> Hold {
        guard source == nil, let known = earlier.first(where: { $0.reason.code == reason.code }) else { return self }
        var kept = self
        kept.since = known.since
        return kept
    }
}

extension Reason {
    /// Without what moves as time passes, which is no news: the rest of a window, and when running time is given anew
    /// while another transfer uses it.
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
