// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import ToolSupport
import TransferModel

@testable import TransferDaemon

/// Rule D2 of the doors: the files with which systemd drives targets.
@Suite("D2: condition files")
struct ConditionFilesTests {
    private func report(ac: String, metered: String, _ discretionary: Bool) -> DiscretionaryReport {
        DiscretionaryReport(
            discretionary: discretionary, reasons: [], onAC: ac, metered: metered,
            since: WallTime(secondsSinceEpoch: 0))
    }

    @Test("Exactly one of each two files exists, and what is unknown does not hold")
    func pairs() throws {
        let folder = NSTemporaryDirectory() + "conditions-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let files = ConditionFiles(folder: folder)
        for (report, expected) in [
            (report(ac: "yes", metered: "no", true), ["ac", "discretionary", "unmetered"]),
            (report(ac: "no", metered: "yes", false), ["not-ac", "not-discretionary", "not-unmetered"]),
            (report(ac: "unknown", metered: "unknown", false), ["not-ac", "not-discretionary", "not-unmetered"]),
            (report(ac: "yes", metered: "unknown", false), ["ac", "not-discretionary", "not-unmetered"]),
        ] {
            try files.write(report)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == expected)
        }
    }

    @Test("A missing folder is an error that names the file")
    func missing() {
        #expect(throws: UsageError.self) {
            try ConditionFiles(folder: "/nowhere").write(report(ac: "yes", metered: "no", true))
        }
    }
}
