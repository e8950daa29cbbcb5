// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import TransferModel
import TransferPolicy

@testable import PolicyLab

@Suite("Conversion of complete files in the formats of other programs") struct ConvertedSampleTests {
    private static func sample(_ name: String) throws -> String {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Samples")
        return String(decoding: try Data(contentsOf: folder.appending(path: name)), as: UTF8.self)
    }

    private static func report(_ text: String) throws -> Trace {
        try Trace(windowsReport: Array(text.utf8), device: "d", file: "r.xml", network: .wifi)
    }

    private static func study(_ text: String) throws -> Trace {
        try Trace(extraSensory: Array(text.utf8), device: "d", file: "e.csv", rule: ReadingRule())
    }

    @Test("Windows: entries with all their attributes; other elements are skipped")
    func windowsReport() throws {
        #expect(
            try Self.report(Self.sample("battery-report.xml")).csv == """
                t_start,t_end,power,net,level,suspended
                1772388000,1772391600,ac,wifi,0.95,0
                1772391600,1772393400,battery,wifi,1.0,0
                1772393400,1772434800,battery,wifi,0.85,1
                1772434800,1772442000,battery,wifi,0.825,1
                1772442012,1772445600,ac,wifi,0.8225,0

                """)
    }

    /// A replacement of one text by another, and the message that it causes.
    struct Fault: Sendable, CustomTestStringConvertible {
        var old: String
        var new: String
        var message: String
        var testDescription: String { message }
    }

    private static let reportFaults = [
        Fault(old: "Duration=\"18000000000\"", new: "Duration=\"NaN\"", message: "51:17: expected a whole number"),
        Fault(
            old: "Duration=\"18000000000\"", new: "Duration=\"9223372036854775808\"",
            message: "51:17: expected a whole number of 100 ns"),
        Fault(old: "\"40000\"", new: "\"-1\"", message: "45:27: expected a number of 0 or more"),
        Fault(old: "Ac=\"0\"", new: "Ac=\"0", message: "52:11: expected 0 or 1 in Ac"),
        Fault(
            old: "2026-03-02T07:00:00Z", new: "2026-03-01T07:00:00Z",
            message: "71:18: expected a later time than in the previous entry, found '2026-03-01T07:00:00Z'"),
        Fault(old: "2026-03-02T07:00:00Z", new: "2026-02-30T07:00:00Z", message: "71:18: expected a time such as"),
        Fault(
            old: "IsNextOnBattery=\"0\"\r\n      />", new: "", message: "37:5: expected a tag that is closed by '>'"),
        Fault(
            old: "      EntryType=\"Suspend\"\r\n", new: "", message: "70:5: expected an attribute EntryType"),
    ]

    @Test("Windows: invalid content is reported with line and column", arguments: reportFaults)
    func brokenReport(_ fault: Fault) throws {
        let text = try Self.sample("battery-report.xml")
        let range = try #require(text.range(of: fault.old, options: .literal))
        let error = #expect(throws: InputError.self) {
            try Self.report(text.replacingCharacters(in: range, with: fault.new))
        }
        #expect(error?.description.hasPrefix("r.xml:\(fault.message)") == true, "\(error?.description ?? "")")
    }

    @Test("Windows: a truncated report and other encodings are rejected")
    func cutReport() throws {
        let bytes = Array(try Self.sample("battery-report.xml").utf8)
        let whole = try Self.report(String(decoding: bytes, as: UTF8.self))
        let mark = Array("</RecentUsage".utf8)
        let start = try #require(bytes.indices.first { bytes[$0...].starts(with: mark) })
        for count in stride(from: 0, to: bytes.count, by: 7) {
            let part = String(decoding: bytes.prefix(count), as: UTF8.self)
            if count < start + mark.count {
                #expect(throws: InputError.self, "\(count)") { try Self.report(part) }
            } else {
                #expect(try Self.report(part) == whole, "\(count)")
            }
        }
        let wide = #expect(throws: InputError.self) {
            try Trace(windowsReport: [0xFF, 0xFE, 0x3C, 0], device: "d", file: "r.xml", network: .wifi)
        }
        #expect(wide?.description == "r.xml:1:1: expected a report in UTF-8, as powercfg writes it, found 'UTF-16'")
    }

    @Test("ExtraSensory: unmeasured values are nan or marked as missing")
    func extraSensory() throws {
        #expect(
            try Self.study(Self.sample("synthetic.features_labels.csv")).csv == """
                t_start,t_end,power,net,level
                1444079161,1444079282,ac,wifi,0.9
                1444079282,1444079341,battery,cell,0.99
                1444079341,1444079401,unknown,unknown,
                1444079401,1444079461,ac,cell,
                1444079461,1444083161,unknown,unknown,
                1444083161,1444083221,battery,wifi,0.45

                """)
    }

    private static let studyFaults = [
        Fault(old: "1444079221", new: "soon", message: "3:1: expected Unix seconds in timestamp, found 'soon'"),
        Fault(old: "1444079221", new: "1444079161", message: "3:1: expected a later time, found '1444079161'"),
        Fault(old: "1444079221", new: "9223372036854775808", message: "3:1: expected Unix seconds"),
        Fault(old: "1444079221,", new: "1444079221,7,", message: "3:"),
        Fault(old: ",0.45,", new: ",1.45,", message: "8:196: expected a number from 0 to 1, -1, nan or nothing"),
        Fault(old: ",0.45,", new: ",inf,", message: "8:196: expected a number from 0 to 1, -1, nan or nothing"),
        Fault(
            old: "is_reachable_via_wifi,", new: "is_reachable_by_wifi,",
            message: "1:1403: expected a column discrete:wifi_status:is_reachable_via_wifi"),
        Fault(old: "1444079221,0.997121", new: "1444079221,\"0.9", message: "3:12: expected a closing quote"),
    ]

    @Test("ExtraSensory: invalid content is reported with line and column", arguments: studyFaults)
    func brokenStudy(_ fault: Fault) throws {
        let text = try Self.sample("synthetic.features_labels.csv")
        let range = try #require(text.range(of: fault.old))
        let error = #expect(throws: InputError.self) {
            try Self.study(text.replacingCharacters(in: range, with: fault.new))
        }
        #expect(error?.description.hasPrefix("e.csv:\(fault.message)") == true, "\(error?.description ?? "")")
    }

    @Test("ExtraSensory: a relevant column accepts only 1, 0, nan, or nothing")
    func flags() throws {
        let lines = try Self.sample("synthetic.features_labels.csv").split(separator: "\n").map(String.init)
        let columns = lines[0].split(separator: ",").map(String.init)
        let column = try #require(columns.firstIndex(of: "discrete:wifi_status:is_reachable_via_wwan"))
        func text(_ value: String) -> String {
            var fields = lines[1].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            fields[column] = value
            return [lines[0], fields.joined(separator: ",")].joined(separator: "\n")
        }
        for value in ["1", "0.0", "nan", "NaN", ""] { _ = try Self.study(text(value)) }
        for value in ["2", "-1", "0.5", "yes", "inf", " "] {
            let error = #expect(throws: InputError.self, "\(value)") { try Self.study(text(value)) }
            #expect(error?.line == 2 && error?.found == value, "\(value)")
            #expect(error?.expected == "1, 0, nan or nothing in discrete:wifi_status:is_reachable_via_wwan")
        }
    }
}
