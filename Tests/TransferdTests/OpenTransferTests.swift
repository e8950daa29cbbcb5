// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferBusProtocol
import TransferModel
import TransferPolicy

@testable import transferd

@Suite("a transfer that is not over, kept small")
struct OpenTransferTests {
    private static let plain = TransferStatus(
        id: TransferID(7), url: "http://a/b", name: "b", app: "app", session: "s", isUpload: true, kind: .discretionary,
        priority: 1000, state: .paused, submitted: BusDate(WallTime(nanosecondsSinceEpoch: 1)))

    @Test("Nothing of how it stands is lost", arguments: 0..<9)
    func whole(part: Int) {
        var status = Self.plain
        switch part {
        case 1: status.total = 0
        case 2: status.path = "/p"
        case 3: status.rate = 0
        case 4: status.attempt = 1
        case 5: status.sentence = "why"
        case 6: status.status = 404
        case 7: status.errorCode = "status"
        case 8: status.error = "no"
        default: break
        }
        #expect(OpenTransfer(status).status == status)
        let transfer = OpenTransfer(Self.plain)
        transfer.status = status
        #expect(transfer.status == status)
        transfer.status = Self.plain
        #expect(transfer.status == Self.plain)
    }

    @Test("What changes while it runs is followed")
    func changes() {
        let transfer = OpenTransfer(Self.plain)
        var status = Self.plain
        (status.kind, status.priority, status.state) = (.userInitiated, 0, .running)
        (status.bytes, status.total, status.rate) = (5, 9, 3)
        transfer.status = status
        #expect(transfer.status == status)
        #expect((transfer.id, transfer.app, transfer.session) == (TransferID(7), "app", "s"))
    }
}
