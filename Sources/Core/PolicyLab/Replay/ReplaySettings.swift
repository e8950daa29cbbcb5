// SPDX-License-Identifier: Apache-2.0
import TransferPolicy
public import TransferScheduling

/// What a replay assumes of the world beside the trace.
public struct ReplaySettings: Hashable, Sendable {
    /// What Wi-Fi and a cable carry where the trace does not say, in bytes a second. Default 2 500 000.
    public var freeRate: Int64 = 2_500_000
    /// What a mobile network carries where the trace does not say, in bytes a second. Default 625 000.
    public var cellRate: Int64 = 625_000
    /// What 10⁶ bytes cost in each class, by its raw value; none below 0. Default 0, 1, 4, 5.
    public var costs: [Double] = [0, 1, 4, 5]
    /// What 10⁶ bytes cost that are late or never come. Default 100.
    public var penalty: Double = 100
    /// A start after more than this without a transfer wakes the radio. Default 15 s.
    public var activationGap: Duration = .seconds(15)
    /// How transfers are ordered, and how many run at once.
    public var scheduler: SchedulerConfiguration = ReplaySettings.replayScheduler
    /// Whether it is noted when each job's bytes came. Default no.
    public var recordsActivity = false
    /// Of the scheduler's chance. Default 1.
    public var seed: UInt64 = 1

    /// The defaults.
    public init() {}

    /// One slot, earliest deadline first, preemptive, and nothing that waits for a condition to settle: what the
    /// reference figures were made with.
    public static var replayScheduler: SchedulerConfiguration {
        var configuration = daemonScheduler
        configuration.globalSlots = 1
        configuration.slotsPerHost = .max
        configuration.slotsPerApp = .max
        configuration.slotsPerSession = .max
        configuration.agingInterval = .max
        configuration.isPreemptive = true
        configuration.drainJitter = .zero
        configuration.powerDwell = .zero
        configuration.networkDwell = .zero
        configuration.linkKindDwell = .zero
        configuration.meteredDwell = .zero
        configuration.connectionDwell = .zero
        configuration.powerGrace = .zero
        return configuration
    }

    /// As programs run it.
    public static var daemonScheduler: SchedulerConfiguration { SchedulerConfiguration() }

    /// What a segment's network carries, in bytes a second.
    func rate(of segment: Trace.Segment) -> Int64 {
        segment.rate ?? (segment.network == .cell ? cellRate : freeRate)
    }

    /// What 10⁶ bytes cost in a class.
    public func cost(of costClass: CostClass) -> Double {
        costs.indices.contains(costClass.rawValue) ? costs[costClass.rawValue] : 0
    }
}
