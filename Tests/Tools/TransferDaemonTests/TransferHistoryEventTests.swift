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
            return message(.changed(specification(traits), isMoved: false))
        }
        func specification(_ traits: TransferTraits = TransferTraits()) -> TransferSpecification {
            TransferSpecification(
                url: "http://h/f?key=1", destination: Destination(directory: "/", name: nil), traits: traits)
        }
        func message(_ kind: TransferUpdate.Kind) -> String? {
            let update = TransferUpdate(id: TransferID(7), time: now, kind: kind)
            let event = TransferHistoryEvent(update, localTime: .utc)
            return event.map { "\($0.kind) \($0.message ?? "")" }
        }
        #expect(message(WorkKind.userInitiated) == "changed user-initiated, priority 750")
        #expect(message(WorkKind.normal) == "changed normal, priority 750")
        #expect(message(.changed(specification(), isMoved: true)) == "changed new URL http://h/f")
        #expect(message(.restarted(.fileChanged)) == "restarted the file on the server has changed, starting over")
    }
}
