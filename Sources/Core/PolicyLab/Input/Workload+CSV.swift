// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

extension Workload {
    private static let required = ["device", "id", "arrival", "bytes", "deadline"]
    private static let optional = ["app", "host", "priority", "expected_bytes", "created_in"]
    /// The maximum size of a job, 2⁶⁰ bytes. The sum for a device must not overflow either.
    private static let maximumBytes: Int64 = 1 << 60

    /// Creates a workload from comma-separated values. Jobs may come in any order.
    ///
    /// - Throws: An ``InputError`` if a field is invalid, a device has an ID twice, or the file has no job.
    public init(csv bytes: [UInt8], file: String) throws(InputError) {
        let table = try CSVTable(bytes, file: file, required: Self.required, optional: Self.optional)
        var jobs: [String: [Job]] = [:]
        var lines: [String: Int] = [:]
        var ids: [String: Set<Int64>] = [:]
        for row in table.rows {
            guard let device = table.field("device", row), let id = table.field("id", row) else { continue }
            guard !device.text.isEmpty else { throw table.error(device, row, expected: "a device's name") }
            let job = try Self.job(row, table)
            guard ids[device.text, default: []].insert(job.id).inserted else {
                throw table.error(id, row, expected: "an ID that \(device.text) does not have yet")
            }
            if lines[device.text] == nil { lines[device.text] = row.line }
            jobs[device.text, default: []].append(job)
        }
        guard !jobs.isEmpty else {
            throw InputError(file: file, line: 2, column: 1, expected: "at least one job", found: "")
        }
        devices = lines.sorted { $0.value < $1.value }.map { name, line in
            var device = Device(name: name, jobs: jobs[name] ?? [])
            device.line = line
            return device
        }
    }

    private static func job(_ row: CSVTable.Row, _ table: CSVTable) throws(InputError) -> Job {
        let arrival = try table.time("arrival", row)
        var deadline: WallTime?
        if let field = table.field("deadline", row), !field.text.isEmpty {
            let date = try table.time("deadline", row)
            guard date > arrival else { throw table.error(field, row, expected: "a time after arrival, or nothing") }
            deadline = date
        }
        guard let id = try table.count("id", row, in: .min ... .max) else {
            throw table.error(row.fields[table.columns["id"] ?? 0], row, expected: "a whole number in id")
        }
        guard let bytes = try table.count("bytes", row, in: 0...maximumBytes) else {
            throw table.error(row.fields[table.columns["bytes"] ?? 0], row, expected: "a whole number in bytes")
        }
        var job = Job(id: id, arrival: arrival, bytes: bytes, deadline: deadline)
        job.app = table.field("app", row)?.text ?? ""
        job.host = table.field("host", row)?.text ?? ""
        job.priority = try table.count("priority", row, in: 0...1000).map(Int.init) ?? 500
        job.expectedBytes = try table.count("expected_bytes", row, in: 0...maximumBytes)
        if let field = table.field("created_in", row) {
            guard ["", "foreground", "background"].contains(field.text) else {
                throw table.error(field, row, expected: "foreground or background in created_in, or nothing")
            }
            job.isFromBackground = field.text == "background"
        }
        return job
    }

    /// The workload as comma-separated values. Columns that have only default values are left out.
    public var csv: String {
        let all = devices.flatMap(\.jobs)
        let extras: [(name: String, isUsed: Bool, text: (Job) -> String)] = [
            ("app", all.contains { !$0.app.isEmpty }, { CSVText.field($0.app) }),
            ("host", all.contains { !$0.host.isEmpty }, { CSVText.field($0.host) }),
            ("priority", all.contains { $0.priority != 500 }, { "\($0.priority)" }),
            ("expected_bytes", all.contains { $0.expectedBytes != nil }, { $0.expectedBytes.map { "\($0)" } ?? "" }),
            (
                "created_in", all.contains { $0.isFromBackground },
                { $0.isFromBackground ? "background" : "foreground" }
            ),
        ]
        let used = extras.filter(\.isUsed)
        var lines = [(Self.required + used.map(\.name)).joined(separator: ",")]
        for device in devices {
            for job in device.jobs {
                let times = [job.arrival, job.deadline].map { date in
                    date.map { Decimal.text(nanos: $0.nanosecondsSinceEpoch) } ?? ""
                }
                let fields = [CSVText.field(device.name), "\(job.id)", times[0], "\(job.bytes)", times[1]]
                lines.append((fields + used.map { $0.text(job) }).joined(separator: ","))
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

/// Text in the format of comma-separated values.
enum CSVText {
    /// Returns text as a field, in quotes if necessary.
    static func field(_ text: String) -> String {
        guard text.contains(where: { $0 == "," || $0 == "\"" || $0.isNewline }) else { return text }
        return "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
