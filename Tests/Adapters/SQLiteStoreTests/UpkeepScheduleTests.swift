// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import SQLiteStore

@Suite("C15: the schedule of upkeep")
struct UpkeepScheduleTests {
    private let start = ContinuousClock.now

    private func schedule() -> UpkeepSchedule {
        UpkeepSchedule(idleTime: .seconds(5), interval: .seconds(86_400), secretsInterval: .seconds(3600), now: start)
    }

    private func at(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

    @Test("Upkeep runs once in idle time")
    func idle() {
        var schedule = schedule()
        #expect(schedule.committed(at: at(0)) == .checkAgain(.seconds(5)))
        #expect(schedule.committed(at: at(3)) == .none)
        #expect(schedule.checked(at: at(5)) == .checkAgain(.seconds(3)))
        #expect(schedule.checked(at: at(8)) == .begin)
        #expect(schedule.checked(at: at(8)) == .none)
        #expect(schedule.ended(at: at(9)) == .none)
        #expect(schedule.checked(at: at(20)) == .none)
        #expect(schedule.committed(at: at(30)) == .checkAgain(.seconds(5)))
    }

    @Test("Commits during upkeep schedule another upkeep after its end")
    func meanwhile() {
        var schedule = schedule()
        _ = schedule.committed(at: at(0))
        #expect(schedule.checked(at: at(5)) == .begin)
        #expect(schedule.committed(at: at(6)) == .none)
        #expect(schedule.ended(at: at(7)) == .checkAgain(.seconds(5)))
        #expect(schedule.checked(at: at(12)) == .begin)
    }

    @Test("Without idle time, upkeep runs once a day, and an hour after a secret ends")
    func busy() {
        var schedule = schedule()
        // The contents of a backup that exists at the start are unknown.
        let consumed = [schedule.consumeEndedSecrets(), schedule.consumeEndedSecrets()]
        #expect(consumed == [true, false])
        var begun: [Int] = []
        for second in stride(from: 0, through: 200_000, by: 4) {
            if second == 100_000 || second == 100_008 { schedule.secretsEnded(at: at(second)) }
            guard schedule.committed(at: at(second)) == .begin else { continue }
            begun.append(second)
            _ = schedule.consumeEndedSecrets()
            #expect(schedule.committed(at: at(second)) == .none)
            #expect(schedule.ended(at: at(second)) == .checkAgain(.seconds(5)))
        }
        #expect(begun == [86_400, 103_600, 190_000])
    }
}
