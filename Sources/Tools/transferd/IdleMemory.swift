// SPDX-License-Identifier: Apache-2.0
import CMemory
import Synchronization

/// Keeps the daemon small while it has nothing to do, which is nearly always.
///
/// After its start, and after work with thousands of transfers, what is free in the heap goes back to the system.
final class IdleMemory: Sendable {
    private let isDue = Mutex(false)
    private static let delay = Duration.seconds(2)

    /// Has the heap stay small; to be called before there are threads.
    static func keepHeapSmall() { transfer_keep_heap_small() }

    /// Gives back what is free, a moment later, together with what else becomes free until then.
    ///
    /// - Parameter release: done just before, to make more free.
    func giveBackSoon(after release: @escaping @Sendable () async -> Void) {
        let isFirst = isDue.withLock { isDue in
            defer { isDue = true }
            return !isDue
        }
        guard isFirst else { return }
        Task {
            try? await Task.sleep(for: Self.delay)
            isDue.withLock { $0 = false }
            await release()
            Self.giveBack()
        }
    }

    private static func giveBack() {
        transfer_trim_heap()
    }
}
