// SPDX-License-Identifier: Apache-2.0
import LinuxKernel

/// A counting semaphore that admits all callers while a stop is in progress.
///
/// The thread that stops a transfer may need the transport's own queue, as with URLSession. That queue may be blocked
/// here by the disk or the rate limit, so a stop opens the gate until the stop is complete.
package final class AdmissionControl: Sendable {
    private struct State: Sendable {
        var inside = 0
        var bypassCount = 0
    }
    private let limit: Int
    private let state = Monitor(State())

    package init(limit: Int) { self.limit = limit }

    package func enter() { state.change(once: { $0.inside < limit || $0.bypassCount > 0 }) { $0.inside += 1 } }

    package func leave() { state.change { $0.inside -= 1 } }

    package func beginBypass() { state.change { $0.bypassCount += 1 } }

    package func endBypass() { state.change { $0.bypassCount -= 1 } }

    var isBypassed: Bool { state.value.bypassCount > 0 }

    /// Sleeps for the given time, or until a stop begins.
    ///
    /// Every caller except one is inside the gate while it sleeps and so delays other blocks. This delay is intended.
    func pause(nanoseconds: UInt64) { state.wait(until: MonotonicTime.now() + nanoseconds) { $0.bypassCount > 0 } }
}
