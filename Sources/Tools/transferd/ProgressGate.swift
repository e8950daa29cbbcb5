// SPDX-License-Identifier: Apache-2.0
import TransferEngine
import TransferModel

/// Lets so much progress of each transfer through as an app wants to hear of: four times a second, the last before anything
/// else happens, and the last before nothing more comes.
struct ProgressGate {
    /// What comes to the gate.
    enum Word: Sendable {
        case happened(TransferUpdate)
        /// Progress was held back for as long as it may be.
        case due(TransferID)
    }

    private struct Entry {
        var told: ContinuousClock.Instant
        /// What was not told; newer than what was.
        var held: TransferUpdate?
    }

    private var entries: [TransferID: Entry] = [:]
    private static let interval = Duration.milliseconds(250)

    /// What is to be told now that this has happened.
    ///
    /// - Parameter holding: told of a transfer whose progress is held back from now on, and for how long it may be.
    mutating func take(
        _ update: TransferUpdate, at now: ContinuousClock.Instant, holding: (TransferID, Duration) -> Void
    ) -> [TransferUpdate] {
        if case .progressed = update.kind {
            if let entry = entries[update.id], case let rest = Self.interval - (now - entry.told), rest > .zero {
                if entry.held == nil { holding(update.id, rest) }
                entries[update.id]?.held = update
                return []
            }
            entries[update.id] = Entry(told: now)
            return [update]
        }
        let held = entries.removeValue(forKey: update.id)?.held
        return [held, update].compactMap { $0 }
    }

    /// What is still held back of a transfer, to be told now.
    mutating func release(_ id: TransferID, at now: ContinuousClock.Instant) -> TransferUpdate? {
        guard let held = entries[id]?.held else { return nil }
        entries[id] = Entry(told: now)
        return held
    }
}
