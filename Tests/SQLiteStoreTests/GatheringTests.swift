// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import SQLiteStore

@Suite("SQLiteStore: how long a transaction stays open")
struct GatheringTests {
    private let gathering = Gathering()
    private let start = ContinuousClock.now

    /// A transaction of so many that was on disk at `start`, whose sync took as long as given.
    private func answered(_ count: Int, others: Int = 0, syncTime: Duration = .microseconds(200)) {
        gathering.begin(at: start)
        gathering.end(with: count, others: others, syncTime: syncTime, at: start)
    }

    private func after(_ microseconds: Int) -> ContinuousClock.Instant {
        start.advanced(by: .microseconds(microseconds))
    }

    @Test("one caller alone never waits")
    func oneCaller() {
        for _ in 0..<3 {
            answered(1)
            gathering.begin(at: after(1))
            #expect(!gathering.isIncomplete(with: 1, at: after(2)))
            #expect(!gathering.hasWaited)
        }
    }

    @Test("those who were answered and those who came too late are expected")
    func expected() {
        answered(4, others: 3)
        gathering.begin(at: after(10))
        #expect(gathering.isIncomplete(with: 3, at: after(20)))
        #expect(gathering.goesOn(with: 6, at: after(30)))
        #expect(!gathering.goesOn(with: 7, at: after(30)))
        #expect(!gathering.isIncomplete(with: 7, at: after(30)))
        #expect(gathering.hasWaited)
    }

    @Test("of many, every eighth is left for the next one")
    func many() {
        answered(200, others: 56)
        gathering.begin(at: after(10))
        #expect(gathering.isIncomplete(with: 223, at: after(20)))
        #expect(!gathering.isIncomplete(with: 224, at: after(20)))
    }

    @Test("when nobody comes any more, the wait is over, and is not begun again")
    func silence() {
        answered(8)
        gathering.begin(at: after(0))
        #expect(gathering.isIncomplete(with: 1, at: after(10)))
        #expect(gathering.goesOn(with: 2, at: after(59)))
        #expect(gathering.goesOn(with: 2, at: after(108)))
        #expect(!gathering.goesOn(with: 2, at: after(109)))
        #expect(!gathering.isIncomplete(with: 2, at: after(110)))
    }

    @Test("in all, no longer than a sync took, and than a millisecond", arguments: [200, 20_000])
    func patience(_ sync: Int) {
        answered(100, syncTime: .microseconds(sync))
        gathering.begin(at: after(0))
        // One comes every 40 µs and is written for 10 µs, which is no waiting.
        var waited = 0
        var count = 1
        var now = 0
        while gathering.isIncomplete(with: count, at: after(now)), count < 80 {
            guard gathering.goesOn(with: count, at: after(now + 39)) else { break }
            count += 1
            guard gathering.goesOn(with: count, at: after(now + 40)) else { break }
            gathering.pause(at: after(now + 40))
            waited += 40
            now += 50
        }
        #expect(waited == min(sync, 1000) - 40)
    }

    @Test("nobody is expected long after an answer")
    func late() {
        answered(100)
        gathering.begin(at: after(1000))
        #expect(!gathering.isIncomplete(with: 1, at: after(1000)))
    }

    @Test("after waiting in vain the next ones do without: one, two, four, and so on until 64")
    func rest() {
        var waits: [Int] = []
        answered(1, others: 1)
        for index in 0..<300 {
            gathering.begin(at: after(1))
            if gathering.isIncomplete(with: 1, at: after(2)) {
                waits.append(index)
                #expect(!gathering.goesOn(with: 1, at: after(52)))
            }
            // The other has gone, and comes too late again.
            gathering.end(with: 1, others: 1, syncTime: .microseconds(200), at: start)
        }
        #expect(waits == [0, 2, 5, 10, 19, 36, 69, 134, 199, 264])
    }
}
