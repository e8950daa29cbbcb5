// SPDX-License-Identifier: Apache-2.0
import PolicyLab

/// A device of a study that is not read yet.
struct PendingDevice: Sendable {
    /// The name of the device in the study.
    var name: String
    /// Reads or makes the device's days and jobs. `nil` if the device is not wanted.
    var load: (@Sendable () throws -> DeviceCase)?
}

/// The devices of a study with their jobs, one after another.
///
/// The jobs of a device are in a workload file, or are generated from the device's position, so that each part of a study
/// can create them alone.
struct StudyDevices {
    private var traces: TraceSequence
    /// The devices of the workload file by position of their traces; `nil` for generated jobs.
    private let workload: [Int: Workload.Device]?
    /// A checksum of the workload file.
    let workloadDigest: UInt64
    private let matched: DeviceSet

    /// Opens the inputs of a study.
    ///
    /// - Parameter workload: The path of the workload file, or `generated`.
    init(_ options: TraceOptions, workload path: String) throws {
        traces = try options.sequence()
        guard path != "generated" else {
            (workload, workloadDigest, matched) = (nil, StudyPart.digest([]), DeviceSet())
            return
        }
        let bytes = try Files.read(path)
        workloadDigest = StudyPart.digest(bytes)
        var names: [String] = []
        while let trace = try traces.next(where: { _, _ in options.population != nil }) { names.append(trace.device) }
        let (matches, unused) = try DeviceCase.match(names: names, Workload(csv: bytes, file: path), file: path)
        if !unused.isEmpty {
            let shown = unused.prefix(20).joined(separator: ", ") + (unused.count > 20 ? ", …" : "")
            Console.error("transferlab: skipped, no jobs in \(path): \(shown)")
        }
        workload = Dictionary(uniqueKeysWithValues: matches.map { ($0.traceIndex, $0.device) })
        matched = matches.reduce(into: DeviceSet()) { $0.insert(StableHash($1.device.name)) }
        traces = traces.restarted()
    }

    /// Returns the devices from the first again. The workload, and the list of traces, are not read again.
    func restarted() -> StudyDevices {
        var devices = self
        devices.traces = traces.restarted()
        return devices
    }

    /// All devices of the study, once all have been passed.
    var all: DeviceSet { workload == nil ? traces.passed : matched }

    /// The number of devices; `nil` if it is not known in advance.
    var count: Int? { workload?.count ?? traces.count }

    /// Returns the next device; `nil` at the end.
    ///
    /// - Parameter isWanted: Decides by the name whether the device is to be read.
    mutating func next(where isWanted: (StableHash) -> Bool) throws -> PendingDevice? {
        guard let workload else {
            guard let trace = try traces.next(where: { isWanted($1) }) else { return nil }
            var device = PendingDevice(name: trace.device)
            if let load = trace.load { device.load = { Self.generated(try load(), position: trace.position) } }
            return device
        }
        func isWantedTrace(_ position: Int, _ name: StableHash) -> Bool {
            workload[position].map { isWanted(StableHash($0.name)) } ?? false
        }
        while let trace = try traces.next(where: isWantedTrace) {
            guard let jobs = workload[trace.position] else { continue }
            var device = PendingDevice(name: jobs.name)
            if let load = trace.load {
                device.load = { DeviceCase(name: jobs.name, trace: try load(), jobs: jobs.jobs) }
            }
            return device
        }
        return nil
    }

    /// Returns a device with random jobs.
    ///
    /// - Parameter position: The device's position among all devices of the study.
    static func generated(_ trace: Trace, position: Int) -> DeviceCase {
        let seed = WorkloadGenerator.firstSeed + UInt64(position)
        return DeviceCase(name: trace.device, trace: trace, jobs: WorkloadGenerator.jobs(for: trace, seed: seed))
    }
}
