// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

extension Trace {
    private static let required = ["t_start", "t_end", "power", "net"]
    private static let optional = ["level", "suspended", "rate_bytes_per_s", "metered"]

    /// Creates a trace from comma-separated values.
    ///
    /// - Throws: An ``InputError`` if a field is invalid, segments overlap or go backwards, or the file has no segment.
    public init(csv bytes: [UInt8], device: String, file: String) throws(InputError) {
        let table = try CSVTable(bytes, file: file, required: Self.required, optional: Self.optional)
        var segments: [Segment] = []
        for row in table.rows {
            let segment = try Self.segment(row, table)
            if let last = segments.last, segment.start < last.end, let field = table.field("t_start", row) {
                let expected = "a time not before \(Decimal.text(nanos: last.end.nanosecondsSinceEpoch))"
                throw table.error(field, row, expected: "\(expected), the end of the previous segment")
            }
            segments.append(segment)
        }
        guard let trace = Trace(device: device, segments: segments) else {
            throw InputError(file: file, line: 2, column: 1, expected: "at least one segment", found: "")
        }
        self = trace
    }

    private static func segment(_ row: CSVTable.Row, _ table: CSVTable) throws(InputError) -> Segment {
        let start = try table.time("t_start", row)
        let end = try table.time("t_end", row)
        guard start < end else {
            throw table.error(
                table.field("t_end", row) ?? row.fields[0], row, expected: "a time after t_start")
        }
        var segment = Segment(
            start: start, end: end, power: try table.choice("power", row, PowerSource.allCases),
            network: try table.choice("net", row, Network.allCases))
        segment.level = try table.number("level", row, in: 0...1)
        segment.isSuspended = try table.flag("suspended", row) ?? false
        segment.metered = try table.flag("metered", row)
        segment.rate = try table.count("rate_bytes_per_s", row, in: 0...1_000_000_000_000)
        return segment
    }

    /// The trace as comma-separated values. The columns `suspended`, `rate_bytes_per_s` and `metered` are left out if
    /// no segment uses them.
    public var csv: String {
        let isSuspended = segments.contains { $0.isSuspended }
        let hasRate = segments.contains { $0.rate != nil }
        let hasMetered = segments.contains { $0.metered != nil }
        var lines = ["t_start,t_end,power,net,level"]
        if isSuspended { lines[0] += ",suspended" }
        if hasRate { lines[0] += ",rate_bytes_per_s" }
        if hasMetered { lines[0] += ",metered" }
        for segment in segments {
            let times = [segment.start, segment.end].map { Decimal.text(nanos: $0.nanosecondsSinceEpoch) }
            var fields = times + [segment.power.rawValue, segment.network.rawValue]
            fields.append(segment.level.map { "\($0)" } ?? "")
            if isSuspended { fields.append(segment.isSuspended ? "1" : "0") }
            if hasRate { fields.append(segment.rate.map { "\($0)" } ?? "") }
            if hasMetered { fields.append(segment.metered.map { $0 ? "1" : "0" } ?? "") }
            lines.append(fields.joined(separator: ","))
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
