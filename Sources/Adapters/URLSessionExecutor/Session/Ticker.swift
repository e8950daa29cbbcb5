// SPDX-License-Identifier: Apache-2.0
import Dispatch
import LinuxKernel
import Synchronization

/// Calls twice a second while there is work, and not at all otherwise.
final class Ticker: Sendable {
    private let consumer: ConsumerExecutor
    private let timer = Mutex<(any DispatchSourceTimer)?>(nil)

    init(consumer: ConsumerExecutor) { self.consumer = consumer }

    /// Starts the calls, unless they come already.
    func use(_ body: @escaping @Sendable (UInt64) -> Void) {
        timer.withLock { timer in
            guard timer == nil else { return }
            let made = DispatchSource.makeTimerSource(queue: consumer.queue)
            made.schedule(deadline: .now() + 0.5, repeating: 0.5, leeway: .milliseconds(50))
            made.setEventHandler { body(MonotonicTime.now()) }
            made.resume()
            timer = made
        }
    }

    /// Ends the calls until the next `use`, if any.
    func rest() {
        timer.withLock { timer in
            timer?.cancel()
            timer = nil
        }
    }
}
