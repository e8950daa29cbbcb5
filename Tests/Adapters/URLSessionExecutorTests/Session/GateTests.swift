// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Glibc
import LinuxKernel
import Testing

@testable import URLSessionExecutor

struct GateTests {
    @Test("a pause lasts as long as it says by the clock that is never set, and ends early in a hurry")
    func pause() {
        let gate = Gate(limit: 1)
        let start = MonotonicTime.now()
        gate.pause(nanoseconds: 20_000_000)
        #expect(MonotonicTime.now() - start >= 20_000_000)
        // Only a stop can end this pause before the test's own time limit.
        let isOver = DispatchGroup()
        DispatchQueue.global().async(group: isOver) { gate.pause(nanoseconds: 3_600_000_000_000) }
        gate.beginHurry()
        #expect(isOver.wait(timeout: .now() + 30) == .success)
        gate.endHurry()
    }

    @Test("a wait ends at its time, also one that has passed")
    func timedWait() {
        let monitor = Monitor(0)
        let end = MonotonicTime.now() + 1_000_000
        #expect(monitor.wait(until: end) { $0 > 0 } == false)
        #expect(MonotonicTime.now() >= end)
        #expect(monitor.wait(until: 0) { $0 > 0 } == false)
    }
}
