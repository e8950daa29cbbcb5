// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// One transfer that is to be made.
public struct Job: Hashable, Sendable {
    /// Its number, one of a kind on its device; decides between equal deadlines.
    public var id: Int64
    /// When it is handed over.
    public var arrival: WallTime
    /// How many bytes it has.
    public var bytes: Int64
    /// When it is to be done, after `arrival`; nil where it may take as long as it takes.
    public var deadline: WallTime?
    /// Whose it is.
    public var app: String
    /// From which server.
    public var host: String
    /// 0…1000, 500 is ordinary.
    public var priority: Int
    /// How many bytes the policy is told; nil for as many as there are.
    public var expectedBytes: Int64?
    /// Whether its app gave it while in the background.
    public var isFromBackground: Bool

    /// A job.
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

/// The transfers of several devices.
public struct Workload: Hashable, Sendable {
    /// The jobs of one device, in the order of arrivals, then ids.
    public struct Device: Hashable, Sendable {
        /// What the name of its trace begins with.
        public var name: String
        /// What is to be transferred.
        public var jobs: [Job]
        /// Where the device was first named, in the file that it was read from; 0 where it was not read.
        public var line = 0

        /// A device's jobs, which are put in order.
        public init(name: String, jobs: [Job]) {
            self.name = name
            self.jobs = jobs.sorted { ($0.arrival, $0.id) < ($1.arrival, $1.id) }
        }
    }

    /// In the order in which the file names them.
    public var devices: [Device]

    /// A workload.
    public init(devices: [Device]) { self.devices = devices }
}
