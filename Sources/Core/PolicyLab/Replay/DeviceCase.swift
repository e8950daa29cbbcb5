// SPDX-License-Identifier: Apache-2.0

/// A device's days and the jobs to transfer in them.
///
/// ```swift
/// let (cases, unused) = try DeviceCase.match(traces, workload, file: "workload.csv")
/// ```
public struct DeviceCase: Hashable, Sendable {
    /// The device's name in the workload.
    public var name: String
    /// The device's days.
    public var trace: Trace
    /// The jobs to transfer.
    public var jobs: [Job]

    /// Creates a case.
    public init(name: String, trace: Trace, jobs: [Job]) {
        self.name = name
        self.trace = trace
        self.jobs = jobs
    }

    /// Matches traces with a workload. A device's trace is the trace whose name equals the device's name, or else
    /// begins with it.
    ///
    /// - Parameters:
    ///   - traces: The traces of the devices.
    ///   - workload: The jobs by device.
    ///   - file: The file from which the workload was read, for errors.
    /// - Returns: A case for each trace with jobs, in the order of the traces, and the names of the traces without
    ///   jobs.
    /// - Throws: An ``InputError`` if a device has no trace or several traces, or if two devices have the same trace.
    public static func match(
        _ traces: [Trace], _ workload: Workload, file: String
    ) throws(InputError) -> (cases: [DeviceCase], unused: [String]) {
        let (matches, unused) = try match(names: traces.map(\.device), workload, file: file)
        return (matches.map { DeviceCase(name: $1.name, trace: traces[$0], jobs: $1.jobs) }, unused)
    }

    /// Matches the names of traces with a workload. A caller that needs only some of the traces does not have to read
    /// the others.
    ///
    /// - Returns: For each trace with jobs, the trace's index among the names and the device. Also the names of the
    ///   traces without jobs.
    public static func match(
        names: [String], _ workload: Workload, file: String
    ) throws(InputError) -> (matches: [(traceIndex: Int, device: Workload.Device)], unused: [String]) {
        var devices: [Int: Workload.Device] = [:]
        for device in workload.devices {
            // An equal name takes precedence over names that only begin with the device's name.
            let equal = names.indices.filter { names[$0] == device.name }
            let found = equal.isEmpty ? names.indices.filter { names[$0].hasPrefix(device.name) } : equal
            func error(_ expected: String) -> InputError {
                InputError(file: file, line: max(1, device.line), column: 1, expected: expected, found: device.name)
            }
            guard let index = found.first else {
                throw error("a device whose name begins the name of a trace")
            }
            guard found.count == 1 else { throw error("a device whose name begins the name of only one trace") }
            if let other = devices[index] {
                throw error("a device with its own trace, not the trace of \(other.name)")
            }
            devices[index] = device
        }
        let matches = names.indices.compactMap { traceIndex in
            devices[traceIndex].map { (traceIndex: traceIndex, device: $0) }
        }
        return (matches, names.indices.filter { devices[$0] == nil }.map { names[$0] })
    }
}
