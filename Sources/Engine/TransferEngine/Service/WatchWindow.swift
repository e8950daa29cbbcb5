// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// Chooses the transfers whose wait reasons are reported: the first unfinished transfers, up to a limit.
///
/// The limit is needed because each watched transfer costs the engine an explanation for every event.
package final class WatchWindow {
    private var watched: Set<TransferID> = []
    /// The transfers that are watched later, in order, beginning at `next`.
    private var later: [TransferID] = []
    private var next = 0
    /// The ended transfers among `later`.
    private var endedEarly: Set<TransferID> = []
    private let size: Int

    /// Creates a window over at most `size` transfers at a time.
    package init(size: Int) { self.size = size }

    /// Appends transfers. Returns the transfers to watch from now on.
    package func add(_ ids: [TransferID]) -> [TransferID] {
        later += ids
        return fill()
    }

    /// Records that a transfer has ended. Returns the transfers to watch in its place.
    package func ended(_ id: TransferID) -> [TransferID] {
        if watched.remove(id) == nil { endedEarly.insert(id) }
        return fill()
    }

    /// Returns whether the reasons of a transfer are reported.
    package func contains(_ id: TransferID) -> Bool { watched.contains(id) }

    private func fill() -> [TransferID] {
        var chosen: [TransferID] = []
        while watched.count < size, next < later.count {
            let id = later[next]
            next += 1
            guard endedEarly.remove(id) == nil else { continue }
            watched.insert(id)
            chosen.append(id)
        }
        return chosen
    }
}
