// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Glibc
import LinuxKernel
import Testing

@testable import HTTPExecutor

struct AdmissionControlTests {
    @Test("A pause lasts as long as specified on the monotonic clock and ends early during a stop")
    func pause() {
        let admission = AdmissionControl(limit: 1)
        let start = MonotonicTime.now()
        admission.pause(nanoseconds: 20_000_000)
        #expect(MonotonicTime.now() - start >= 20_000_000)
        // Only a stop can end this pause before the test's own time limit.
        let ended = DispatchGroup()
        DispatchQueue.global().async(group: ended) { admission.pause(nanoseconds: 3_600_000_000_000) }
        admission.beginBypass()
        #expect(ended.wait(timeout: .now() + 30) == .success)
        admission.endBypass()
    }

    @Test("A wait ends at its deadline, even if the deadline has passed")
    func timedWait() {
        let monitor = Monitor(0)
        let end = MonotonicTime.now() + 1_000_000
        #expect(monitor.wait(until: end) { $0 > 0 } == false)
        #expect(MonotonicTime.now() >= end)
        #expect(monitor.wait(until: 0) { $0 > 0 } == false)
    }
}
