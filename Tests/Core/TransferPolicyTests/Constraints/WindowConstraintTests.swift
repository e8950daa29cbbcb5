// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import TransferModel
import TransferPolicy

@Suite struct WindowConstraintTests {
    /// Returns whether a window is open `seconds` after Monday 00:00 UTC, and how long that state lasts.
    private func evaluate(
        _ windows: [(Int64, Int64)], at seconds: Int64, _ localTime: LocalTimeRules = .utc
    ) -> (isOpen: Bool, lasts: Int64?) {
        let constraint = WindowConstraint(windows: windows.map { .init(start: $0.0, end: $0.1) })
        let verdict = constraint.verdict(at: Sample.now.advanced(by: .seconds(seconds)), localTime: localTime)
        return (Sample.codes(verdict).isEmpty, Sample.reevaluateAt(verdict).map { $0.components.seconds - seconds })
    }

    @Test(
        "A window is half-open: open at its start, closed at its end",
        arguments: [(99, false, 1), (100, true, 100), (199, true, 1), (200, false, 604_700), (604_799, false, 101)]
            as [(Int64, Bool, Int64)])
    func edges(second: Int64, isOpen: Bool, lasts: Int64) {
        let (open, left) = evaluate([(100, 200)], at: second)
        #expect(open == isOpen)
        #expect(left == lasts)
    }

    @Test(
        "A window may extend across the end of the week",
        arguments: [(604_700, true, 200), (0, true, 100), (99, true, 1), (100, false, 604_500)]
            as [(Int64, Bool, Int64)])
    func acrossTheWeek(second: Int64, isOpen: Bool, lasts: Int64) {
        let (open, left) = evaluate([(604_600, 604_900)], at: second)
        #expect(open == isOpen)
        #expect(left == lasts)
    }

    @Test("Adjacent windows count as one; the whole week never closes; no window never opens")
    func joined() {
        #expect(evaluate([(0, 100), (100, 200), (150, 300)], at: 50) == (true, 250))
        #expect(evaluate([(0, 604_800)], at: 50) == (true, nil))
        #expect(evaluate([(0, 300_000), (300_000, 604_800)], at: 50) == (true, nil))
        #expect(evaluate([], at: 50) == (false, nil))
        #expect(evaluate([(10, 10), (20, 5), (-5, 5), (604_800, 604_900)], at: 50) == (false, nil))
    }

    @Test("A fraction of a second does not open a window early")
    func fraction() {
        let now = Sample.now.advanced(by: .seconds(99) + .milliseconds(500))
        let verdict = WindowConstraint(windows: [.init(start: 100, end: 200)]).verdict(at: now, localTime: .utc)
        #expect(Sample.reevaluateAt(verdict) == .seconds(100))
    }

    /// Rules whose clocks go forward by an hour at 01:00 UTC on the first day, from UTC+1.
    private var spring: LocalTimeRules {
        LocalTimeRules(
            initialOffsetSeconds: 3600,
            changes: [.init(start: Sample.monday.advanced(by: .seconds(3600)), offsetSeconds: 7200)])
    }
    /// Rules whose clocks go back by an hour at 01:00 UTC on the first day, from UTC+2.
    private var autumn: LocalTimeRules {
        LocalTimeRules(
            initialOffsetSeconds: 7200,
            changes: [.init(start: Sample.monday.advanced(by: .seconds(3600)), offsetSeconds: 3600)])
    }

    @Test("The opening date is correct across a clock change")
    func daylightSaving() {
        // 09:00 local time is 07:00 UTC after the change in spring, and 08:00 UTC after the change in autumn.
        #expect(evaluate([(9 * 3600, 10 * 3600)], at: 0, spring) == (false, 7 * 3600))
        #expect(evaluate([(9 * 3600, 10 * 3600)], at: 0, autumn) == (false, 8 * 3600))
        // The period 02:00–03:00 does not exist in spring. The next such period is a week later.
        #expect(evaluate([(2 * 3600, 3 * 3600)], at: 0, spring) == (false, 604_800))
        // A window that is open during the change is an hour shorter in spring and an hour longer in autumn.
        #expect(evaluate([(3600, 4 * 3600)], at: 0, spring) == (true, 2 * 3600))
        #expect(evaluate([(2 * 3600, 4 * 3600)], at: 0, autumn) == (true, 3 * 3600))
    }

    @Test("A stored constraint is validated too")
    func decoding() throws {
        let text = #"{"windows":[{"start":300,"end":100},{"start":0,"end":100}]}"#
        let decoded = try JSONDecoder().decode(WindowConstraint.self, from: Data(text.utf8))
        #expect(decoded.windows == [.init(start: 0, end: 100)])
        let again = try JSONDecoder().decode(WindowConstraint.self, from: JSONEncoder().encode(decoded))
        #expect(again == decoded)
    }
}
