// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy

extension Trace {
    /// Creates a trace from a file of the ExtraSensory data set, `*.features_labels.csv` unpacked.
    ///
    /// Source: Vaizman, Ellis, Lanckriet, "Recognizing Detailed Human Context in the Wild from Smartphones and
    /// Smartwatches", IEEE Pervasive Computing 16(4), 2017. The file has one row per minute while the app ran. A
    /// phone that is plugged in runs on AC power, and so does a phone whose battery charges or is full. A phone that
    /// is not reachable over Wi-Fi is assumed to be on a mobile network.
    ///
    /// - Throws: An ``InputError`` if a column is missing, a value is invalid, a time goes backwards, or the file has
    ///   no row.
    public init(extraSensory bytes: [UInt8], device: String, file: String, rule: ReadingRule) throws(InputError) {
        let table = try CSVTable(bytes, file: file, required: Columns.all, ignoresOthers: true)
        var readings: [Reading] = []
        for row in table.rows {
            let time = try table.time(Columns.time, row)
            if let last = readings.last, time <= last.time {
                throw table.error(row.fields[table.columns[Columns.time] ?? 0], row, expected: "a later time")
            }
            let acPower = try Self.isSet(Columns.acPower, row, table)
            let battery = try Self.isSet(Columns.battery, row, table)
            let wifi = try Self.isSet(Columns.wifi, row, table)
            let cell = try Self.isSet(Columns.cell, row, table)
            readings.append(
                Reading(
                    time: time, power: acPower ? .ac : battery ? .battery : .unknown,
                    network: wifi ? .wifi : cell ? .cell : .unknown, level: try Self.level(row, table)))
        }
        guard let trace = rule.trace(readings, device: device) else {
            throw InputError(file: file, line: 2, column: 1, expected: "at least one row", found: "")
        }
        self = trace
    }

    /// Returns whether any of several columns is 1. An unmeasured value is `nan` or empty.
    private static func isSet(_ names: [String], _ row: CSVTable.Row, _ table: CSVTable) throws(InputError) -> Bool {
        var isSet = false
        for name in names {
            guard let field = table.field(name, row), !isMissing(field) else { continue }
            guard let value = Double(field.text), value == 0 || value == 1 else {
                throw table.error(field, row, expected: "1, 0, nan or nothing in \(name)")
            }
            if value == 1 { isSet = true }
        }
        return isSet
    }

    private static func level(_ row: CSVTable.Row, _ table: CSVTable) throws(InputError) -> Double? {
        guard let field = table.field(Columns.level, row), !isMissing(field) else { return nil }
        // An iPhone reports -1 if the level is unknown.
        guard let value = Double(field.text), value == -1 || (0...1).contains(value) else {
            throw table.error(field, row, expected: "a number from 0 to 1, -1, nan or nothing in \(Columns.level)")
        }
        return value < 0 ? nil : value
    }

    private static func isMissing(_ field: CSVTable.Field) -> Bool {
        field.text.isEmpty || field.text.lowercased() == "nan"
    }

    /// The relevant columns, out of about 280.
    private enum Columns {
        static let time = "timestamp"
        static let level = "lf_measurements:battery_level"
        static let acPower =
            ["is_ac", "is_usb", "is_wireless"].map { "discrete:battery_plugged:\($0)" }
            + ["is_charging", "is_full"].map { "discrete:battery_state:\($0)" }
        static let battery = ["is_unplugged", "is_discharging"].map { "discrete:battery_state:\($0)" }
        static let wifi = ["discrete:wifi_status:is_reachable_via_wifi"]
        static let cell = ["is_reachable_via_wwan", "is_not_reachable"].map { "discrete:wifi_status:\($0)" }
        static let all = [time, level] + acPower + battery + wifi + cell
    }
}
