// SPDX-License-Identifier: Apache-2.0
import LinuxKernel

/// Lets at most so many blocks through at a time, and all of them while somebody is in a hurry.
///
/// Whoever stops a transfer needs URLSession's own queue, which waits here for the disk or the rate limit; so a stop
/// opens the gate until it is through.
final class Gate: Sendable {
    private struct State: Sendable {
        var inside = 0
        var hurries = 0
    }
    private let limit: Int
    private let state = Monitor(State())

    init(limit: Int) { self.limit = limit }

    func enter() { state.change(once: { $0.inside < limit || $0.hurries > 0 }) { $0.inside += 1 } }

    func leave() { state.change { $0.inside -= 1 } }

    func beginHurry() { state.change { $0.hurries += 1 } }

    func endHurry() { state.change { $0.hurries -= 1 } }

    var isHurried: Bool { state.value.hurries > 0 }

    /// Sleeps so long, less when a hurry begins.
    ///
    /// Every caller but one is inside the gate and holds it up: that is meant.
    func pause(nanoseconds: UInt64) { state.wait(until: MonotonicTime.now() + nanoseconds) { $0.hurries > 0 } }
}
