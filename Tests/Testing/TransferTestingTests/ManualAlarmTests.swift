// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferTesting

@Suite("ManualAlarm", .timeLimit(.minutes(5)))
struct ManualAlarmTests {
    @Test("keeps the contract of its port", arguments: AlarmContract.Check.allCases)
    func contract(_ check: AlarmContract.Check) async throws {
        let start = ClockReading(instant: Instant(nanoseconds: 5), wall: WallTime(secondsSinceEpoch: 1_795_228_604))
        let contract = AlarmContract {
            let alarm = ManualAlarm(startingAt: start)
            return .init(alarm) { alarm.advance(by: $0) }
        }
        try await contract.run(check)
    }
}
