// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// Chooses whose reasons for waiting are told: the first that are not over, not thousands, each of which would cost the
/// engine a look with every event.
final class WatchWindow {
    private var watched: Set<TransferID> = []
    /// Those whose turn comes later, in order, from `next` on.
    private var later: [TransferID] = []
    private var next = 0
    /// Those of them that are over already.
    private var over: Set<TransferID> = []
    private let size: Int

    /// A window over so many at a time.
    init(size: Int) { self.size = size }

    /// Adds transfers at the end; returns those that are to be watched from now on.
    func add(_ ids: [TransferID]) -> [TransferID] {
        later += ids
        return fill()
    }

    /// A transfer is over; returns those that are to be watched in its place.
    func ended(_ id: TransferID) -> [TransferID] {
        if watched.remove(id) == nil { over.insert(id) }
        return fill()
    }

    private func fill() -> [TransferID] {
        var chosen: [TransferID] = []
        while watched.count < size, next < later.count {
            let id = later[next]
            next += 1
            guard over.remove(id) == nil else { continue }
            watched.insert(id)
            chosen.append(id)
        }
        return chosen
    }
}
