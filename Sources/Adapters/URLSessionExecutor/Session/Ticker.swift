// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Synchronization

/// Calls twice a second while there is work, and not at all otherwise.
final class Ticker: Sendable {
    private let queue: DispatchQueue
    private let timer = Mutex<(any DispatchSourceTimer)?>(nil)

    init(queue: DispatchQueue) { self.queue = queue }

    /// Starts the calls, unless they come already.
    func use(_ body: @escaping @Sendable (UInt64) -> Void) {
        timer.withLock { timer in
            guard timer == nil else { return }
            let made = DispatchSource.makeTimerSource(queue: queue)
            made.schedule(deadline: .now() + 0.5, repeating: 0.5, leeway: .milliseconds(50))
            made.setEventHandler { body(MonotonicTime.now()) }
            made.resume()
            timer = made
        }
    }

    /// Ends the calls until the next `use`.
    func rest() {
        timer.withLock { timer in
            timer?.cancel()
            timer = nil
        }
    }

    func stop() { rest() }
}
