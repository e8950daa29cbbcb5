// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel

@testable import HTTPExecutor

struct ReportScheduleTests {
    private static let second: UInt64 = 1_000_000_000

    private func schedule(checkpointSeconds: Int = 2) -> ReportSchedule {
        var configuration = HTTPExecutorConfiguration(partialDirectory: "/nonexistent")
        configuration.progressInterval = .seconds(1)
        configuration.checkpointSeconds = checkpointSeconds
        configuration.checkpointBytes = 100
        return ReportSchedule(configuration)
    }

    @Test("Progress is reported once per interval, immediately if forced, and never twice")
    func progress() {
        var schedule = schedule()
        let reports = [(5, 10, false), (6, 10, false), (7, 11, false), (7, 11, true), (7, 11, true), (8, 12, false)]
            .map { schedule.reportsProgress(Int64($0.0), now: $0.1 * Self.second, isForced: $0.2) }
        #expect(reports == [true, false, true, false, false, true])
        #expect(schedule.reportedBytes == 8)
    }

    @Test("After a restart, any number of bytes is reported")
    func restart() {
        var schedule = schedule()
        let before = [schedule.reportsProgress(0, now: Self.second), schedule.reportsProgress(0, now: Self.second)]
        #expect(before == [true, false])
        schedule.restart()
        #expect(schedule.reportedBytes == nil)
        let after = schedule.reportsProgress(0, now: Self.second)
        #expect(after)
    }

    @Test("A checkpoint is due after enough bytes or time, and never without new bytes")
    func checkpoint() {
        var schedule = schedule()
        schedule.checkpoint(now: 10 * Self.second)
        #expect(schedule.wantsCheckpoint(of: 100, now: 10 * Self.second))
        #expect(!schedule.wantsCheckpoint(of: 99, now: 12 * Self.second - 1))
        #expect(schedule.wantsCheckpoint(of: 1, now: 12 * Self.second))
        #expect(!schedule.wantsCheckpoint(of: 0, now: 12 * Self.second))
        #expect(!schedule.wantsCheckpoint(now: 9 * Self.second))
    }
}
