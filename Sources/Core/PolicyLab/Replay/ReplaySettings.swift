// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
public import TransferPolicy
public import TransferScheduling

/// The assumptions of a replay beyond the trace.
///
/// ```swift
/// var settings = ReplaySettings()
/// settings.penalty = 50
/// settings.scheduler = ReplaySettings.daemonScheduler
/// ```
///
/// ## Topics
///
/// ### Network
/// - ``wifiRate``
/// - ``cellRate``
/// - ``activationGap``
///
/// ### Costs
/// - ``costs``
/// - ``cost(of:)``
/// - ``penalty``
/// - ``prices``
/// - ``priceWeight``
///
/// ### Scheduler
/// - ``scheduler``
/// - ``replayScheduler``
/// - ``daemonScheduler``
/// - ``seed``
///
/// ### Output
/// - ``recordsActivity``
public struct ReplaySettings: Hashable, Sendable {
    /// The default rate of Wi-Fi and wired networks, in bytes per second. Default: 2,500,000.
    public var wifiRate: Int64 = 2_500_000
    /// The default rate of a mobile network, in bytes per second. Default: 625,000.
    public var cellRate: Int64 = 625_000
    /// The cost of 10⁶ bytes in each cost class, by the raw value of ``CostClass``. No cost may be negative. A class
    /// without an element costs 0. Default: 0, 1, 4, 5.
    public var costs: [Double] = [0, 1, 4, 5]
    /// The cost of 10⁶ bytes that are late or never arrive. Default: 100.
    public var penalty: Double = 100
    /// The prices of energy, which policies see as they become known. Default: `nil`, no prices.
    public var prices: PriceForecasts?
    /// The cost of 10⁶ bytes at a price of 1, in addition to the cost of their class. Not negative. Default: 1.
    public var priceWeight: Double = 1
    /// The pause after which the next transfer wakes the radio. Default: 15 s.
    public var activationGap: Duration = .seconds(15)
    /// The configuration of the scheduler. Default: ``replayScheduler``.
    public var scheduler: SchedulerConfiguration = ReplaySettings.replayScheduler
    /// A Boolean value that indicates whether the replay records when bytes of each job arrived. Default: `false`.
    public var recordsActivity = false
    /// The seed of the scheduler's random numbers. Default: 1.
    public var seed: UInt64 = 1

    /// Creates the default settings.
    public init() {}

    /// The configuration that the reference results were made with. One slot, earliest deadline first, even if it has
    /// passed, preemptive, and no debounce of conditions.
    public static var replayScheduler: SchedulerConfiguration {
        var configuration = daemonScheduler
        configuration.globalSlots = 1
        configuration.slotsPerHost = .max
        configuration.slotsPerApp = .max
        configuration.slotsPerSession = .max
        configuration.agingInterval = .max
        configuration.isPreemptive = true
        // The published figures were made without reserved time.
        configuration.keepsDeadlines = false
        configuration.startsLateTransfersLast = false
        configuration.staggeredStartJitter = .zero
        configuration.powerDebounce = .zero
        configuration.networkDebounce = .zero
        configuration.linkKindDebounce = .zero
        configuration.meteredDebounce = .zero
        configuration.connectionDebounce = .zero
        configuration.powerHysteresis = .zero
        return configuration
    }

    /// The scheduler's default configuration, as the daemon uses it.
    public static var daemonScheduler: SchedulerConfiguration { SchedulerConfiguration() }

    /// Returns the rate of a segment's network, in bytes per second.
    func rate(of segment: Trace.Segment) -> Int64 {
        segment.rate ?? (segment.network == .cell ? cellRate : wifiRate)
    }

    /// Returns the cost of 10⁶ bytes in a class.
    public func cost(of costClass: CostClass) -> Double {
        costs.indices.contains(costClass.rawValue) ? costs[costClass.rawValue] : 0
    }
}
