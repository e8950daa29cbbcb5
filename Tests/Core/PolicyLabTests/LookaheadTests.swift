// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy

@testable import PolicyLab

@Suite struct LookaheadTests {
    /// Returns the on-time bytes by class, rounded because a re-evaluation is a nanosecond after the time to stop.
    ///
    /// The job has 150 bytes and is due after 500 s, in segments of 100 s.
    private func classes(_ letters: String, hours: Double, bytes: Int64 = 150) throws -> [Double] {
        let jobs = [Days.job(0, bytes: bytes, by: 500)]
        return try Days.replay(Days.trace(letters), jobs, "lookahead:h=\(hours)").onTimeBytes.map { $0.rounded() }
    }

    @Test("Bytes that cheaper times will carry wait for them; only the excess moves now")
    func enough() throws {
        #expect(try classes("bbdAAb", hours: 1) == [150, 0, 0, 0])
        #expect(try classes("bbdAdb", hours: 1) == [100, 50, 0, 0])
        #expect(try classes("dddbdb", hours: 1) == [0, 100, 0, 50])
        #expect(try classes("dbdbdA", hours: 1) == [0, 150, 0, 0])
    }

    @Test("Times beyond the horizon are assumed to be good")
    func horizon() throws {
        // The policy sees 150 s ahead, so from 350 s on it knows that only battery remains.
        #expect(try classes("bbbbb", hours: 150.0 / 3600) == [0, 150, 0, 0])
        #expect(try classes("bbbbb", hours: 120.0 / 3600) == [0, 120, 0, 0])
        #expect(try classes("bbbbb", hours: 0) == [0, 0, 0, 0])
    }

    @Test("A job past its deadline waits for good conditions")
    func late() throws {
        let outcome = try Days.replay(Days.trace("?????bA"), [Days.job(0, bytes: 50, by: 500)], "lookahead")
        #expect(outcome.lateBytesByClass == [50, 0, 0, 0])
    }
}
