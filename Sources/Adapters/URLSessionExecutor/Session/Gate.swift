// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation

/// Lets at most so many blocks through at a time, and all of them while somebody is in a hurry.
///
/// Whoever stops a transfer needs URLSession's own queue, which waits here for the disk or the rate limit; so a stop
/// opens the gate until it is through.
final class Gate: @unchecked Sendable {
    // Guard: `condition` for `inside` and `hurries`.
    private let condition = MonotonicCondition()
    private let limit: Int
    private var inside = 0
    private var hurries = 0

    init(limit: Int) { self.limit = limit }

    func enter() {
        condition.withLock {
            while inside >= limit, hurries == 0 { condition.wait() }
            inside += 1
        }
    }

    func leave() {
        condition.withLock {
            inside -= 1
            if inside == limit - 1 { condition.signal() }
        }
    }

    func beginHurry() {
        condition.withLock {
            hurries += 1
            condition.broadcast()
        }
    }

    func endHurry() { condition.withLock { hurries -= 1 } }

    var isHurried: Bool { condition.withLock { hurries > 0 } }

    /// Sleeps so long, less when a hurry begins.
    ///
    /// Every caller but one is inside the gate and holds it up: that is meant.
    func pause(nanoseconds: UInt64) {
        condition.withLock {
            let end = MonotonicTime.now() + nanoseconds
            while hurries == 0, condition.wait(until: end) {}
        }
    }
}

/// The queue URLSession hands its callbacks to: they run in order on `consumer`, and URLSession waits while too many
/// are pending.
///
/// That wait is what keeps a fast server from filling the memory (OperationQueue itself never waits).
final class BoundedDelegateQueue: OperationQueue, @unchecked Sendable {
    // Guard: both are constants.
    private let gate: Gate
    private let consumer: DispatchQueue

    init(gate: Gate, consumer: DispatchQueue) {
        self.gate = gate
        self.consumer = consumer
        super.init()
    }

    override func addOperation(_ block: @escaping @Sendable () -> Void) {
        gate.enter()
        consumer.async { [gate] in
            block()
            gate.leave()
        }
    }
}
