// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import TransferBusProtocol
import TransferModel
import TransferPolicy

@testable import transferctl

@Suite("The list of transfers as JSON")
struct StatusJSONTests {
    /// Returns the JSON that Foundation writes for `rows`.
    private func foundation(_ rows: [TransferStatus]) throws -> String {
        let data = try JSONSerialization.data(
            withJSONObject: ["commands": [], "transfers": rows.map { $0.fields.mapValues(\.json) }],
            options: [.sortedKeys, .withoutEscapingSlashes])
        return String(decoding: data, as: UTF8.self)
    }

    @Test("Matches the output of Foundation byte for byte, for any text")
    func same() throws {
        let controls = String(String.UnicodeScalarView((0..<0x20).compactMap { Unicode.Scalar(UInt8($0)) }))
        let texts = ["", "plain", "a/b\\c\"d", controls, "\u{7F}\u{80}\u{2028}", "ä日本\u{1F600}e\u{301}", "\r\n"]
        var rows: [TransferStatus] = []
        for (index, text) in texts.enumerated() {
            var status = TransferStatus(
                id: TransferID(Int64(index)), url: text, name: text, app: text, session: index == 0 ? nil : text,
                isUpload: index % 2 == 0, kind: .discretionary, priority: index, state: .failed,
                submitted: WallTime(nanosecondsSinceEpoch: 1_700_000_000_123_000_000))
            if index > 1 {
                (status.bytes, status.total, status.rate, status.attempt) = (.max, 0, -5, 4)
                (status.sentence, status.path, status.status) = (text, text, 404)
                (status.errorCode, status.error) = (text, text)
            }
            rows.append(status)
        }
        #expect(StatusJSON.document(rows) == (try foundation(rows)))
        #expect(StatusJSON.document([]) == (try foundation([])))
    }
}
