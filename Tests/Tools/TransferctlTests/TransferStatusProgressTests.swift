// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel

@testable import transferctl

@Suite("The numbers of a running transfer")
struct TransferStatusProgressTests {
    @Test(
        "The bytes are left out first, then the rate, so that the time left fits",
        arguments: [
            (60, "50 %  500.0 MB/1.00 GB  1.00 MB/s  ETA 8:20"), (40, "50 %  1.00 MB/s  ETA 8:20"),
            (24, "50 %  ETA 8:20"), (10, "50 %"),
        ])
    func fits(width: Int, text: String) {
        var status = TransferStatus(
            id: TransferID(1), url: "http://h/f", name: "f", app: "person", isUpload: false, kind: .normal,
            priority: 500, state: .running, submitted: WallTime(nanosecondsSinceEpoch: 0))
        (status.bytes, status.total, status.rate) = (500_000_000, 1_000_000_000, 1_000_000)
        #expect(status.numbers(withBytes: true, width: width) == text)
    }
}
