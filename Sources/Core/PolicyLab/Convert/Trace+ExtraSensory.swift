// SPDX-License-Identifier: Apache-2.0
import TransferPolicy

extension Trace {
    /// Reads a file of the ExtraSensory data set, `*.features_labels.csv` unpacked.
    ///
    /// Vaizman, Ellis, Lanckriet, "Recognizing Detailed Human Context in the Wild from Smartphones and Smartwatches", IEEE
    /// Pervasive Computing 16(4), 2017. A row a minute while the app ran. Plugged in is mains, so is a battery that charges
    /// or is full; a phone that is not reachable over Wi-Fi is taken to be on a mobile network.
    ///
    /// - Throws: where a column is missing, a time is none or goes backwards, or there is no row.
    public init(extraSensory bytes: [UInt8], device: String, file: String, rule: ReadingRule) throws(InputError) {
        let table = try CSVTable(bytes, file: file, required: Columns.all, ignoresOthers: true)
        var readings: [Reading] = []
        for row in table.rows {
            let time = try table.time(Columns.time, row)
            if let last = readings.last, time <= last.time {
                throw table.error(row.fields[table.columns[Columns.time] ?? 0], row, expected: "a later time")
            }
            func isSet(_ names: [String]) -> Bool {
                names.contains { table.field($0, row).flatMap { Double($0.text) } == 1 }
            }
            var reading = Reading(time: time, power: .unknown, network: .unknown)
            if isSet(Columns.mains) {
                reading.power = .ac
            } else if isSet(Columns.battery) {
                reading.power = .battery
            }
            if isSet(Columns.wifi) {
                reading.network = .wifi
            } else if isSet(Columns.cell) {
                reading.network = .cell
            }
            let level = table.field(Columns.level, row).flatMap { Double($0.text) }
            reading.level = level.flatMap { (0...1).contains($0) ? $0 : nil }
            readings.append(reading)
        }
        guard let trace = rule.trace(readings, device: device) else {
            throw InputError(file: file, line: 2, column: 1, expected: "at least one row", found: "")
        }
        self = trace
    }

    /// The columns that matter, of some two hundred and eighty.
    private enum Columns {
        static let time = "timestamp"
        static let level = "lf_measurements:battery_level"
        static let mains =
            ["is_ac", "is_usb", "is_wireless"].map { "discrete:battery_plugged:\($0)" }
            + ["is_charging", "is_full"].map { "discrete:battery_state:\($0)" }
        static let battery = ["is_unplugged", "is_discharging"].map { "discrete:battery_state:\($0)" }
        static let wifi = ["discrete:wifi_status:is_reachable_via_wifi"]
        static let cell = ["is_reachable_via_wwan", "is_not_reachable"].map { "discrete:wifi_status:\($0)" }
        static let all = [time, level] + mains + battery + wifi + cell
    }
}
