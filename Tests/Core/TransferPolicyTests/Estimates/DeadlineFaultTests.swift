// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy

@Suite("Faults of deadlines at submission")
struct DeadlineFaultTests {
    private func date(_ seconds: Int64) -> WallTime { Sample.monday.advanced(by: .seconds(seconds)) }

    private func find(
        deadline: Int64? = 1000, notBefore: Int64? = nil, window: ClosedRange<Int64>? = nil, bytes: Int64? = nil,
        limit: Int64? = nil
    ) -> DeadlineFault? {
        let constraints = Constraints(
            notBefore: notBefore.map { NotBeforeConstraint(date($0)) },
            deadline: deadline.map { DeadlineConstraint(date($0)) },
            window: window.map { WindowConstraint(windows: [.init(start: $0.lowerBound, end: $0.upperBound)]) })
        return DeadlineFault.find(
            in: constraints, bytes: bytes, limit: limit, at: Sample.now, localTime: .utc)
    }

    @Test("A wish that can be met has no fault")
    func none() {
        #expect(find() == nil)
        #expect(find(deadline: nil, notBefore: 5000) == nil)
        #expect(find(notBefore: 999) == nil)
        #expect(find(window: 999...2000) == nil)
        #expect(find(bytes: 1000, limit: 1) == nil)
    }

    @Test("A past deadline, a later start, and a later window are certain faults")
    func dates() {
        #expect(find(deadline: 0) == .past(date(0)))
        #expect(find(notBefore: 1000) == .notBefore(date(1000), deadline: date(1000)))
        #expect(find(window: 1000...2000) == .window(opens: date(1000), deadline: date(1000)))
    }

    @Test("A size over the limit on the rate, times the time from the window on, is a certain fault")
    func limit() {
        let fault = find(window: 500...2000, bytes: 1000, limit: 1)
        #expect(fault == .limit(bytes: 1000, rate: 1, needed: .seconds(1000), available: .seconds(500)))
    }
}
