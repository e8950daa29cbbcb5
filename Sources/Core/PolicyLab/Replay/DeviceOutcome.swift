// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// What one policy made of one device's days.
public struct DeviceOutcome: Hashable, Sendable, Codable {
    /// Whose days.
    public var device: String
    /// What became of each job, in the order of arrivals. Empty for what was computed as a whole.
    public var jobs: [JobOutcome] = []
    /// All bytes asked for.
    public var offeredBytes: Double = 0
    /// Bytes before their deadlines, by class.
    public var onTimeBytes: [Double] = Array(repeating: 0, count: CostClass.allCases.count)
    /// Bytes past their deadlines, by class.
    public var lateBytesByClass: [Double] = Array(repeating: 0, count: CostClass.allCases.count)
    /// Bytes that never came.
    public var undoneBytes: Double = 0
    /// How often the radio was woken: starts after a pause.
    public var activations = 0
    /// Stops of transfers that were not done.
    public var stops = 0
    /// For how long something was transferred, in seconds.
    public var activeTime = PowerShares()
    /// For how long the radio stayed awake after a transfer, in seconds.
    public var tailTime = PowerShares()
    /// How often the radio was woken, by what the machine ran on.
    public var wakes = PowerShares()
    /// What the radio took while bytes moved, in joules.
    public var activeEnergy = PowerShares()
    /// What it took while it stayed awake after a transfer.
    public var tailEnergy = PowerShares()
    /// What it took to wake up.
    public var wakeEnergy = PowerShares()
    /// How long the trace is, in seconds.
    public var span: Double = 0
    /// For how long power or network was unknown, in seconds.
    public var unknownTime: Double = 0
    /// When bytes of which job came, in order, where that was asked for.
    public var activity: [Activity] = []
    /// Events that the scheduler was told.
    public var events = 0

    init(device: String) { self.device = device }

    /// A time in which bytes of one job came.
    public struct Activity: Hashable, Sendable, Codable {
        /// Whose bytes.
        public var job: Int64
        /// From when.
        public var start: WallTime
        /// Until when.
        public var end: WallTime
    }

    /// A quantity on battery and on mains apart.
    public struct PowerShares: Hashable, Sendable, Codable {
        /// On battery.
        public var battery = 0.0
        /// On mains.
        public var wall = 0.0

        mutating func add(_ amount: Double, isOnAC: Bool) { if isOnAC { wall += amount } else { battery += amount } }
    }

    /// Bytes past their deadlines.
    public var lateBytes: Double { lateBytesByClass.reduce(0, +) }
}
