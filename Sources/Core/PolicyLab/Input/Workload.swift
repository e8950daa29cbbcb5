// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// A transfer to simulate.
///
/// ```swift
/// let job = Job(
///     id: 1, arrival: start, bytes: 20_000_000, deadline: start.advanced(by: .seconds(86_400)))
/// ```
public struct Job: Hashable, Sendable {
    /// The job's number, unique on its device. Breaks ties between jobs with the same deadline.
    public var id: Int64
    /// The time at which the job is submitted.
    public var arrival: WallTime
    /// The size in bytes.
    public var bytes: Int64
    /// The deadline, after `arrival`; `nil` for no deadline.
    public var deadline: WallTime?
    /// The app that the job belongs to.
    public var app: String
    /// The server that the job transfers from.
    public var host: String
    /// The priority, 0…1000. Default: 500.
    public var priority: Int
    /// The size in bytes that the policy sees; `nil` for the actual size.
    public var expectedBytes: Int64?
    /// A Boolean value that indicates whether the job's app was in the background when it submitted the job.
    public var isFromBackground: Bool

    /// Creates a job.
    public init(
        id: Int64, arrival: WallTime, bytes: Int64, deadline: WallTime?, app: String = "", host: String = "",
        priority: Int = 500, expectedBytes: Int64? = nil, isFromBackground: Bool = false
    ) {
        self.id = id
        self.arrival = arrival
        self.bytes = bytes
        self.deadline = deadline
        self.app = app
        self.host = host
        self.priority = priority
        self.expectedBytes = expectedBytes
        self.isFromBackground = isFromBackground
    }
}

/// The jobs of one or several devices.
///
/// ```swift
/// let workload = Workload(devices: [Workload.Device(name: "phone", jobs: [job])])
/// print(workload.csv)
/// ```
public struct Workload: Hashable, Sendable {
    /// The jobs of one device, ordered by arrival, then by ID.
    public struct Device: Hashable, Sendable {
        /// The device's name, or a prefix of its trace's name.
        public var name: String
        /// The jobs, ordered by arrival, then by ID.
        public var jobs: [Job]
        /// The line of the workload file that first names the device; 0 if the workload was not read from a file.
        public var line = 0

        /// Creates a device and sorts its jobs.
        public init(name: String, jobs: [Job]) {
            self.name = name
            self.jobs = jobs.sorted { ($0.arrival, $0.id) < ($1.arrival, $1.id) }
        }
    }

    /// The devices, in the order in which the file names them.
    public var devices: [Device]

    /// Creates a workload.
    public init(devices: [Device]) { self.devices = devices }
}
