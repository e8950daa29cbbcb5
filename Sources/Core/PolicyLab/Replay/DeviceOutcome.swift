// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// The outcome of one policy on one device's days.
///
/// ## Topics
///
/// ### Jobs
/// - ``device``
/// - ``jobs``
/// - ``stops``
/// - ``activity``
///
/// ### Bytes
/// - ``offeredBytes``
/// - ``onTimeBytes``
/// - ``lateBytesByClass``
/// - ``lateBytes``
/// - ``undoneBytes``
/// - ``priceCost``
///
/// ### Radio
/// - ``activations``
/// - ``activeTime``
/// - ``tailTime``
/// - ``wakes``
/// - ``activeEnergy``
/// - ``tailEnergy``
/// - ``wakeEnergy``
///
/// ### Replay
/// - ``span``
/// - ``unknownTime``
/// - ``events``
public struct DeviceOutcome: Hashable, Sendable, Codable {
    /// The name of the device.
    public var device: String
    /// The outcome of each job, in order of arrival. Empty for an outcome that was computed as a whole.
    public var jobs: [JobOutcome] = []
    /// The number of bytes of all jobs.
    public var offeredBytes: Double = 0
    /// The number of bytes that arrived before their deadlines, by cost class.
    public var onTimeBytes: [Double] = Array(repeating: 0, count: CostClass.allCases.count)
    /// The number of bytes that arrived after their deadlines, by cost class.
    public var lateBytesByClass: [Double] = Array(repeating: 0, count: CostClass.allCases.count)
    /// The number of bytes that never arrived.
    public var undoneBytes: Double = 0
    /// The cost of the on-time bytes by the price of energy, in addition to the costs of their classes.
    public var priceCost: Double = 0
    /// The number of times that the radio was woken, which are starts after a pause.
    public var activations = 0
    /// The number of times that an unfinished transfer was stopped.
    public var stops = 0
    /// The transfer time in seconds.
    public var activeTime = PowerShares()
    /// The time in seconds in which the radio stayed awake after a transfer.
    public var tailTime = PowerShares()
    /// The number of times that the radio was woken, by power source.
    public var wakes = PowerShares()
    /// The radio's energy during transfers, in joules.
    public var activeEnergy = PowerShares()
    /// The radio's energy while it stayed awake after transfers, in joules.
    public var tailEnergy = PowerShares()
    /// The radio's energy to wake up, in joules.
    public var wakeEnergy = PowerShares()
    /// The length of the trace in seconds.
    public var span: Double = 0
    /// The time in which power or network was unknown, in seconds.
    public var unknownTime: Double = 0
    /// The periods in which bytes of each job arrived, in chronological order. Empty unless
    /// ``ReplaySettings/recordsActivity`` is set.
    public var activity: [Activity] = []
    /// The number of events that the scheduler received.
    public var events = 0

    init(device: String) { self.device = device }

    /// A period in which bytes of one job arrived.
    public struct Activity: Hashable, Sendable, Codable {
        /// The ID of the job.
        public var job: Int64
        /// The start of the period.
        public var start: WallTime
        /// The end of the period.
        public var end: WallTime
    }

    /// A quantity, split by power source.
    public struct PowerShares: Hashable, Sendable, Codable {
        /// The part on battery.
        public var battery = 0.0
        /// The part on AC power.
        public var ac = 0.0

        private enum CodingKeys: String, CodingKey {
            case battery
            case ac = "wall"
        }

        mutating func add(_ amount: Double, isOnAC: Bool) { if isOnAC { ac += amount } else { battery += amount } }
    }

    /// The number of bytes that arrived after their deadlines.
    public var lateBytes: Double { lateBytesByClass.reduce(0, +) }
}
