// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel

@testable import TransferEngine

@Suite("The compact state of an unfinished transfer")
struct UnfinishedTransferTests {
    private static let plain = TransferStatus(
        id: TransferID(7), url: "http://a/b", name: "b", app: "app", session: "s", isUpload: true, kind: .discretionary,
        priority: 1000, state: .paused, submitted: WallTime(nanosecondsSinceEpoch: 1))

    @Test("The compact form keeps every property", arguments: 0..<9)
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
        #expect(UnfinishedTransfer(status).status == status)
    }
}
