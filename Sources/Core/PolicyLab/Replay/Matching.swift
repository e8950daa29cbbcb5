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
        let (matches, unused) = try match(names: traces.map(\.device), workload, file: file)
        return (matches.map { DeviceCase(name: $1.name, trace: traces[$0], jobs: $1.jobs) }, unused)
    }

    /// The same where the traces' names alone are known: whoever needs some of the traces need not read the others.
    ///
    /// - Returns: for each trace with jobs its place among the names and whose jobs these are.
    public static func match(
        names: [String], _ workload: Workload, file: String
    ) throws(InputError) -> (matches: [(place: Int, device: Workload.Device)], unused: [String]) {
        var devices: [Int: Workload.Device] = [:]
        for device in workload.devices {
            // The whole name before any that it only begins.
            let equal = names.indices.filter { names[$0] == device.name }
            let found = equal.isEmpty ? names.indices.filter { names[$0].hasPrefix(device.name) } : equal
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
        let matches = names.indices.compactMap { place in devices[place].map { (place: place, device: $0) } }
        return (matches, names.indices.filter { devices[$0] == nil }.map { names[$0] })
    }
}
