// SPDX-License-Identifier: Apache-2.0
import SQLiteStore
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import TransferDaemon

@Suite struct TransferHistoryEventTests {
    @Test("The history records a change by 'now' or 'set' with what it changed")
    func changes() {
        let now = ClockReading(instant: .zero, wall: WallTime(secondsSinceEpoch: 1_795_392_000))
        func message(_ kind: WorkKind) -> String? {
            let traits = TransferTraits(kind: kind, priority: 750, host: "h", submitted: now.wall)
            let update = TransferUpdate(id: TransferID(7), time: now, kind: .changed(traits))
            let event = TransferHistoryEvent(update, localTime: .utc)
            return event?.kind == .changed ? event?.message : nil
        }
        #expect(message(.userInitiated) == "user-initiated, priority 750")
        #expect(message(.normal) == "normal, priority 750")
    }
}
