// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TransferModel

/// Chooses whose reasons for waiting are told: the first that are not over, not thousands, each of which would cost the
/// engine a look with every event.
final class WatchWindow: Sendable {
    private struct State {
        var watched: Set<TransferID> = []
        /// Those whose turn comes later, in order, from `next` on.
        var later: [TransferID] = []
        var next = 0
        /// Those of them that are over already.
        var over: Set<TransferID> = []
    }

    private let state = Mutex(State())
    private let size: Int

    /// A window over so many at a time.
    init(size: Int) { self.size = size }

    /// Adds transfers at the end; returns those that are to be watched from now on.
    func add(_ ids: [TransferID]) -> [TransferID] {
        state.withLock { state in
            state.later += ids
            return Self.fill(&state, size)
        }
    }

    /// A transfer is over; returns those that are to be watched in its place.
    func ended(_ id: TransferID) -> [TransferID] {
        state.withLock { state in
            if state.watched.remove(id) == nil { state.over.insert(id) }
            return Self.fill(&state, size)
        }
    }

    private static func fill(_ state: inout State, _ size: Int) -> [TransferID] {
        var chosen: [TransferID] = []
        while state.watched.count < size, state.next < state.later.count {
            let id = state.later[state.next]
            state.next += 1
            guard state.over.remove(id) == nil else { continue }
            state.watched.insert(id)
            chosen.append(id)
        }
        return chosen
    }
}
