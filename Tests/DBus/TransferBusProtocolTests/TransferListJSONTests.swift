// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferBusProtocol
import TransferModel

@Suite("Lists of transfers as JSON")
struct TransferListJSONTests {
    @Test("Every value arrives as it was sent, for any text")
    func same() throws {
        let controls = String(String.UnicodeScalarView((0..<0x20).compactMap { Unicode.Scalar(UInt8($0)) }))
        let texts = ["", "plain", "a/b\\c\"d", controls, "\u{7F}\u{80}\u{2028}", "ä日本\u{1F600}e\u{301}", "\r\n"]
        let rows = texts.enumerated().map { index, text in
            var status = TransferStatus(
                id: TransferID(Int64(index)), url: text, name: text, app: text, session: index == 0 ? nil : text,
                isUpload: index % 2 == 0, kind: .discretionary, priority: index, state: .failed,
                submitted: WallTime(nanosecondsSinceEpoch: 1_700_000_000_123_000_000))
            guard index > 1 else { return status }
            (status.bytes, status.total, status.rate, status.attempt) = (.max, 0, -5, 4)
            (status.sentence, status.path, status.status) = (text, text, 404)
            (status.errorCode, status.error) = (text, text)
            (status.deadline, status.deadlineState) = (status.submitted, .missed)
            return status
        }
        #expect(try TransferListJSON.rows(TransferListJSON.bytes(of: rows)) == rows)
        #expect(try TransferListJSON.rows(TransferListJSON.bytes(of: [])) == [])
    }

    @Test("A reply that is not a list is refused", arguments: ["", "{}", "[1]", "[{}]", #"[{"id":"x"}]"#])
    func refused(_ text: String) {
        #expect(throws: BusFault.self) { try TransferListJSON.rows(Array(text.utf8)) }
    }
}
