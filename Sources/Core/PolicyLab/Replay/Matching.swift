// SPDX-License-Identifier: Apache-2.0

/// A device's days and what is to be transferred in them.
public struct DeviceCase: Hashable, Sendable {
    /// The name in the workload.
    public var name: String
    /// Its days.
    public var trace: Trace
    /// What is to be transferred.
    public var jobs: [Job]

    /// A case.
    public init(name: String, trace: Trace, jobs: [Job]) {
        self.name = name
        self.trace = trace
        self.jobs = jobs
    }

    /// Puts traces and a workload together: a device's trace is the one whose name begins with the device's.
    ///
    /// - Parameter file: where the workload was read from, for errors.
    /// - Returns: a case for each trace with jobs, in the order of the traces, and the names of those without.
    /// - Throws: where a device has no trace or several, or two devices have the same.
    public static func match(
        _ traces: [Trace], _ workload: Workload, file: String
    ) throws(InputError) -> (cases: [DeviceCase], unused: [String]) {
        var devices: [Int: Workload.Device] = [:]
        for device in workload.devices {
            // The whole name before any that it only begins.
            let equal = traces.indices.filter { traces[$0].device == device.name }
            let found = equal.isEmpty ? traces.indices.filter { traces[$0].device.hasPrefix(device.name) } : equal
            func error(_ expected: String) -> InputError {
                InputError(file: file, line: max(1, device.line), column: 1, expected: expected, found: device.name)
            }
            guard let index = found.first else {
                throw error("a device that the name of one of the traces begins with")
            }
            guard found.count == 1 else { throw error("a device that the name of one trace only begins with") }
            if let other = devices[index] {
                throw error("a device with a trace of its own, not that of \(other.name)")
            }
            devices[index] = device
        }
        let cases = traces.indices.compactMap { index in
            devices[index].map { DeviceCase(name: $0.name, trace: traces[index], jobs: $0.jobs) }
        }
        return (cases, traces.indices.filter { devices[$0] == nil }.map { traces[$0].device })
    }
}
