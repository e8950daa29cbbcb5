// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

extension Trace {
    /// Creates a trace from UPower's history of a battery, `/var/lib/upower/history-charge-*.dat`.
    ///
    /// A line consists of a time in Unix seconds, the charge in percent, and the battery's state, separated by tabs.
    /// The file does not record the network, so `network` is assumed throughout. UPower keeps one week and records
    /// changes only.
    ///
    /// - Throws: An ``InputError`` if a line has another format, times go backwards, or the file is empty.
    public init(
        upower bytes: [UInt8], device: String, file: String, network: Network, rule: ReadingRule
    ) throws(InputError) {
        var readings: [Reading] = []
        for (number, bytes) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            guard !bytes.isEmpty else { continue }
            let text = String(decoding: bytes, as: UTF8.self)
            let fields = text.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            func error(_ field: Int, _ expected: String) -> InputError {
                let column = fields.prefix(field).reduce(1) { $0 + $1.utf8.count + 1 }
                return InputError(
                    file: file, line: number + 1, column: column, expected: expected,
                    found: field < fields.count ? fields[field] : "")
            }
            guard fields.count == 3 else {
                throw InputError(
                    file: file, line: number + 1, column: 1, expected: "time, percent and state, separated by tabs",
                    found: text)
            }
            guard let nanos = Decimal.nanos(fields[0]), nanos.magnitude <= 4_000_000_000_000_000_000 else {
                throw error(0, "Unix seconds")
            }
            let time = WallTime(nanosecondsSinceEpoch: nanos)
            guard let level = Double(fields[1]), (0...100).contains(level) else {
                throw error(1, "a percentage from 0 to 100")
            }
            guard let power = Self.upowerStates[fields[2]] else {
                throw error(2, "one of \(Self.upowerStates.keys.sorted().joined(separator: ", "))")
            }
            let reading = Reading(
                time: time, power: power, network: network, level: power == .unknown ? nil : level / 100)
            // If two lines have the same time, the later line counts.
            if let last = readings.last, last.time == time { readings.removeLast() }
            if let last = readings.last, time < last.time {
                throw error(0, "a time not before the time of the previous line")
            }
            readings.append(reading)
        }
        guard let trace = rule.trace(readings, device: device) else {
            throw InputError(file: file, line: 1, column: 1, expected: "at least one line", found: "")
        }
        self = trace
    }

    /// The power source for each battery state of UPower (`UpDeviceState`).
    private static let upowerStates: [String: PowerSource] = [
        "charging": .ac, "fully-charged": .ac, "pending-charge": .ac, "discharging": .battery,
        "pending-discharge": .battery, "empty": .battery, "unknown": .unknown,
    ]
}
