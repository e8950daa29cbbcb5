// SPDX-License-Identifier: Apache-2.0
import TransferModel

/// Who waits until transfers are over.
struct EndWaiting {
    private var waiting: [(ids: Set<TransferID>, continuation: CheckedContinuation<Void, Never>)] = []
    /// Whether there is nothing to wait for any more.
    private(set) var isOver = false

    /// Resumes when the last of those has come to its end, or nothing will.
    mutating func add(_ ids: Set<TransferID>, _ continuation: CheckedContinuation<Void, Never>) {
        guard !ids.isEmpty, !isOver else { return continuation.resume() }
        waiting.append((ids, continuation))
    }

    /// One is over.
    mutating func noteEnd(of id: TransferID) {
        for index in waiting.indices { waiting[index].ids.remove(id) }
        for done in waiting where done.ids.isEmpty { done.continuation.resume() }
        waiting.removeAll(where: \.ids.isEmpty)
    }

    /// Nothing will come to its end any more.
    mutating func end() {
        isOver = true
        for left in waiting { left.continuation.resume() }
        waiting = []
    }
}
