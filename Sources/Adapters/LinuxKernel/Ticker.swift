// SPDX-License-Identifier: Apache-2.0
package import Dispatch
import Synchronization

/// A repeating timer that runs only while there is work.
package final class Ticker: Sendable {
    private let queue: DispatchQueue
    private let interval: DispatchTimeInterval
    private let leeway: DispatchTimeInterval
    private let timer = Mutex<(any DispatchSourceTimer)?>(nil)

    /// Creates a stopped timer.
    package init(queue: DispatchQueue, interval: DispatchTimeInterval, leeway: DispatchTimeInterval) {
        self.queue = queue
        self.interval = interval
        self.leeway = leeway
    }

    /// Starts calling `body` on the queue. Does nothing if the timer is running already.
    package func use(_ body: @escaping @Sendable () -> Void) {
        timer.withLock { timer in
            guard timer == nil else { return }
            let made = DispatchSource.makeTimerSource(queue: queue)
            made.schedule(deadline: .now() + interval, repeating: interval, leeway: leeway)
            made.setEventHandler(handler: body)
            made.resume()
            timer = made
        }
    }

    /// Stops the calls until the next `use`.
    package func rest() {
        timer.withLock { timer in
            timer?.cancel()
            timer = nil
        }
    }
}
