// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import SQLiteStore

@Suite("C15: when upkeep is done")
struct UpkeepScheduleTests {
    private let start = ContinuousClock.now

    private func schedule() -> UpkeepSchedule {
        UpkeepSchedule(idleTime: .seconds(5), interval: .seconds(86_400), secretsInterval: .seconds(3600), now: start)
    }

    private func at(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

    @Test("In idle time, once")
    func idle() {
        var schedule = schedule()
        #expect(schedule.committed(at: at(0)) == .lookAgain(.seconds(5)))
        #expect(schedule.committed(at: at(3)) == .none)
        #expect(schedule.looked(at: at(5)) == .lookAgain(.seconds(3)))
        #expect(schedule.looked(at: at(8)) == .begin)
        #expect(schedule.looked(at: at(8)) == .none)
        #expect(schedule.ended(at: at(9)) == .none)
        #expect(schedule.looked(at: at(20)) == .none)
        #expect(schedule.committed(at: at(30)) == .lookAgain(.seconds(5)))
    }

    @Test("What comes while it runs is looked after when it has ended")
    func meanwhile() {
        var schedule = schedule()
        _ = schedule.committed(at: at(0))
        #expect(schedule.looked(at: at(5)) == .begin)
        #expect(schedule.committed(at: at(6)) == .none)
        #expect(schedule.ended(at: at(7)) == .lookAgain(.seconds(5)))
        #expect(schedule.looked(at: at(12)) == .begin)
    }

    @Test("Once a day where there is no idle time, and an hour after the end of a secret")
    func busy() {
        var schedule = schedule()
        // The contents of a backup that exists at the start are unknown.
        let taken = [schedule.takeEndedSecrets(), schedule.takeEndedSecrets()]
        #expect(taken == [true, false])
        var begun: [Int] = []
        for second in stride(from: 0, through: 200_000, by: 4) {
            if second == 100_000 || second == 100_008 { schedule.secretsEnded(at: at(second)) }
            guard schedule.committed(at: at(second)) == .begin else { continue }
            begun.append(second)
            _ = schedule.takeEndedSecrets()
            #expect(schedule.committed(at: at(second)) == .none)
            #expect(schedule.ended(at: at(second)) == .lookAgain(.seconds(5)))
        }
        #expect(begun == [86_400, 103_600, 190_000])
    }
}
