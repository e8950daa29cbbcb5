// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy

@testable import PolicyLab

@Suite("Conversion of other recordings to traces") struct ConversionTests {
    // MARK: UPower

    private func upower(_ text: String) throws(InputError) -> Trace {
        try Trace(upower: Array(text.utf8), device: "d", file: "u.dat", network: .wifi, rule: ReadingRule())
    }

    @Test("UPower: a state lasts until the next one, across a gap only if both are equal")
    func upowerHistory() throws {
        let trace = try upower(
            """
            1000\t80.000\tdischarging
            1100\t79.000\tdischarging
            5000\t78.500\tdischarging
            9000\t50.000\tcharging
            9100\t60.000\tfully-charged
            60000\t0.000\tunknown

            """)
        #expect(
            trace.csv == """
                t_start,t_end,power,net,level
                1000,5060,battery,wifi,0.8
                5060,9000,unknown,unknown,
                9000,9160,ac,wifi,0.5
                9160,60000,unknown,unknown,
                60000,60060,unknown,wifi,

                """)
    }

    @Test(
        "UPower: an invalid line is reported",
        arguments: [
            ("", "1:1: expected at least one line"), ("1000 80 charging", "1:1: expected time, percent and state"),
            ("x\t80\tcharging", "1:1: expected Unix seconds"), ("10\t101\tcharging", "1:4: expected a percentage"),
            ("10\t80\tasleep", "1:7: expected one of charging"),
            ("10\t80\tcharging\n9\t80\tcharging", "2:1: expected a time not before"),
        ])
    func brokenUPower(_ sample: (text: String, message: String)) {
        let error = #expect(throws: InputError.self) { try upower(sample.text) }
        #expect(error?.description.hasPrefix("u.dat:\(sample.message)") == true, "\(error?.description ?? "")")
    }

    // MARK: Windows

    private func report(_ entries: String) throws(InputError) -> Trace {
        let text = "<?xml version=\"1.0\"?>\n<BatteryReport><UsageEntries/>\n<RecentUsage>\n\(entries)\n</RecentUsage>"
        return try Trace(windowsReport: Array(text.utf8), device: "d", file: "r.xml", network: .ethernet)
    }

    private func entry(
        _ time: String, _ duration: String, ac: String = "1", type: String = "Active", charge: String = "30"
    ) -> String {
        """
        <UsageEntry
          Timestamp="\(time)" Duration="\(duration)" Ac="\(ac)" EntryType="\(type)" ChargeCapacity="\(charge)"
          FullChargeCapacity="40" />
        """
    }

    @Test("Windows: an entry lasts for its duration or until the next entry; a machine not in use is asleep")
    func windowsReport() throws {
        let trace = try report(
            entry("1970-01-02T00:00:00Z", "302000000") + entry("1970-01-02T00:00:30Z", "600000000", ac: "0")
                + entry("1970-01-02T00:02:00Z", "300000000", ac: "0", type: "Suspend", charge: "10")
                + entry("1970-01-02T00:02:30Z", "0", type: "ReportGenerated"))
        #expect(
            trace.csv == """
                t_start,t_end,power,net,level,suspended
                86400,86430,ac,ethernet,0.75,0
                86430,86490,battery,ethernet,0.75,0
                86520,86550,battery,ethernet,0.25,1

                """)
    }

    @Test("Windows: an invalid entry is reported with the position of the attribute")
    func brokenReports() {
        let good = entry("2024-02-29T12:00:00Z", "10000000")
        let cut = InputError(
            file: "r.xml", line: 2, column: 3, expected: "a tag that is closed by '>'", found: "UsageEntry")
        let samples = [
            ("", "1:1: expected a report with at least one UsageEntry"),
            (entry("2023-02-29T12:00:00Z", "1"), "5:14: expected a time such as 2026-10-05T09:40:43Z"),
            (entry("2024-02-29 12:00:00Z", "1"), "5:14: expected a time such as 2026-10-05T09:40:43Z"),
            (entry("2024-02-29T12:00:00Z", "-1"), "5:46: expected a whole number of 100 ns"),
            (entry("2024-02-29T12:00:00Z", "1", ac: "yes"), "5:53: expected 0 or 1 in Ac"),
            (entry("2024-02-29T12:00:00Z", "1", charge: "x"), "5:91: expected a number of 0 or more in ChargeCapacity"),
            ("<UsageEntry Ac=\"1\" />", "4:1: expected an attribute Timestamp"),
        ]
        for (text, message) in samples {
            let error = #expect(throws: InputError.self) { try report(text) }
            #expect(error?.description.hasPrefix("r.xml:\(message)") == true, "\(error?.description ?? "")")
        }
        #expect(throws: InputError.self) { try report(good + good) }
        #expect(throws: cut) {
            try Trace(windowsReport: Array("<a>\n  <UsageEntry A".utf8), device: "d", file: "r.xml", network: .wifi)
        }
    }

    // MARK: ExtraSensory

    @Test("ExtraSensory: plugged in or charging is AC, not reachable over Wi-Fi is mobile, gaps are unknown")
    func extraSensory() throws {
        let columns = [
            "timestamp", "raw_acc:magnitude_stats:mean", "discrete:battery_plugged:is_ac",
            "discrete:battery_plugged:is_usb", "discrete:battery_plugged:is_wireless",
            "discrete:battery_state:is_charging", "discrete:battery_state:is_full",
            "discrete:battery_state:is_unplugged", "discrete:battery_state:is_discharging",
            "discrete:wifi_status:is_reachable_via_wifi", "discrete:wifi_status:is_reachable_via_wwan",
            "discrete:wifi_status:is_not_reachable", "lf_measurements:battery_level", "label:SITTING",
        ]
        func row(_ time: Int, _ set: [Int], level: String) -> String {
            (1..<columns.count).reduce("\(time)") { text, column in
                text + "," + (column == 12 ? level : set.contains(column) ? "1.0" : column == 1 ? "nan" : "0.0")
            }
        }
        let rows = [
            columns.joined(separator: ","), row(1000, [5, 9], level: "0.5"), row(1060, [2, 8, 9], level: "0.51"),
            row(1120, [8, 11], level: "0.51"), row(1180, [10], level: "nan"), row(9000, [7, 9], level: "1"),
        ]
        let text = Array((rows.joined(separator: "\n") + "\n").utf8)
        let trace = try Trace(extraSensory: text, device: "d", file: "e", rule: ReadingRule())
        #expect(
            trace.csv == """
                t_start,t_end,power,net,level
                1000,1120,ac,wifi,0.5
                1120,1180,battery,cell,0.51
                1180,1240,unknown,cell,
                1240,9000,unknown,unknown,
                9000,9060,battery,wifi,1.0

                """)
        let backward = Array((rows[0...1] + rows[1...1]).joined(separator: "\n").utf8)
        let error = #expect(throws: InputError.self) {
            try Trace(extraSensory: backward, device: "d", file: "e", rule: ReadingRule())
        }
        #expect(error?.line == 3 && error?.expected == "a later time")
        #expect(throws: InputError.self) {
            try Trace(extraSensory: Array("timestamp\n1\n".utf8), device: "d", file: "e", rule: ReadingRule())
        }
    }
}
