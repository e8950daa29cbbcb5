// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
public import TransferPolicy
import TransferQueue

/// The settings of a scheduler: slots, preemption, debounce and hysteresis times, and backoff.
///
/// ```swift
/// let scheduler = Scheduler(configuration: SchedulerConfiguration(), startingAt: now)
/// ```
public struct SchedulerConfiguration: Hashable, Sendable {
    /// The number of transfers that may run at the same time. Default 4, at least 1.
    public var globalSlots: Int = 4
    /// The number of transfers that may run to one host at the same time. Default 2, at least 1.
    public var slotsPerHost: Int = 2
    /// The number of transfers that may run for one app at the same time. Default 4, at least 1.
    public var slotsPerApp: Int = 4
    /// The number of transfers that may run for one session of an app at the same time. Default 4, at least 1.
    public var slotsPerSession: Int = 4
    /// The number of starts that may bypass lower-ranking work that is ready. The next start then goes to that work.
    /// Default 16, at least 1.
    public var agingInterval: Int = 16
    /// A Boolean value that indicates whether a ready transfer may preempt a lower-ranking one if all global slots
    /// are taken. Default `false`.
    ///
    /// User-initiated work ranks first, then higher priority, then the earlier deadline that has not passed. Within an app, the lower id
    /// ranks first. A preempted transfer keeps its bytes. A start granted by aging is never preempted.
    public var isPreemptive: Bool = false
    /// A Boolean value that indicates whether transfers past their deadlines go behind the transfers of the same
    /// priority that can still meet theirs. Default `true`.
    ///
    /// If the value is `false`, the earlier deadline always goes first. Under load, late transfers then make others late.
    public var startsLateTransfersLast: Bool = true
    /// The longest random delay before each background start after sleep or an outage. Default 5 s.
    ///
    /// Background work starts one transfer at a time during this period. Zero starts all transfers immediately.
    public var staggeredStartJitter: Duration = .seconds(5)
    /// The time after sleep or an outage during which starts are staggered. Default 60 s.
    public var staggeredStartPeriod: Duration = .seconds(60)
    /// The longest time that attempts and the waits between them may last without one new byte. Default 14 days.
    public var longestWithoutProgress: Duration = .seconds(14 * 86_400)
    /// The settings of the relaunch limiter.
    public var relaunchLimiter: RelaunchLimiterConfiguration = RelaunchLimiterConfiguration()
    /// The debounce of the power supply before discretionary work starts on it. Default 10 s.
    public var powerDebounce: Duration = .seconds(10)
    /// The debounce of network reachability. Default 5 s.
    public var networkDebounce: Duration = .seconds(5)
    /// The debounce of the kind of link. Default 5 s.
    public var linkKindDebounce: Duration = .seconds(5)
    /// The debounce of the metered state. Default 5 s.
    public var meteredDebounce: Duration = .seconds(5)
    /// The debounce of the connection's identity and roaming state. Default 5 s.
    public var connectionDebounce: Duration = .seconds(5)
    /// The hysteresis of the power supply: work continues for this time after it loses the power it needs. Default 5
    /// s.
    public var powerHysteresis: Duration = .seconds(5)
    /// The hysteresis of network reachability. Default zero.
    public var networkHysteresis: Duration = .zero
    /// The hysteresis of the kind of link. Default zero.
    public var linkKindHysteresis: Duration = .zero
    /// The hysteresis of the metered state. Default zero: work immediately leaves a link that becomes metered.
    public var meteredHysteresis: Duration = .zero
    /// The hysteresis of the connection's identity and roaming state. Default zero.
    public var connectionHysteresis: Duration = .zero
    /// The number of new bytes that an attempt needs to count as progress. Default 1 KiB.
    public var leastProgress: Int64 = 1024
    /// The number of failed attempts without progress after which non-discretionary work ends. Default 5, at least 1.
    public var maximumAttempts: Int = 5
    /// The backoff of background work after a failure.
    public var backgroundBackoff: Backoff = .background
    /// The backoff of user-initiated work after a failure.
    public var userInitiatedBackoff: Backoff = .userInitiated
    /// The interval between measurements of free disk space while a transfer waits for space. Default 15 s.
    public var spaceInterval: Duration = .seconds(15)
    /// The limit on the rate of all transfers together, in bytes per second, which estimates use. The executor enforces
    /// the limit. Default `nil`, no limit.
    public var rateLimit: Int64?
    /// A Boolean value that indicates whether estimates reserve time before deadlines, and whether deadlines in danger
    /// are reported. Default `true`. Replays of published figures use `false`.
    public var keepsDeadlines: Bool = true
    /// The rule for links whose metered state is unknown.
    public var unknownMetered: UnknownMeteredRule = UnknownMeteredRule()

    /// Creates the default settings.
    public init() {}

    /// Returns the backoff for a kind of work.
    func backoff(for kind: WorkKind) -> Backoff {
        kind == .userInitiated ? userInitiatedBackoff : backgroundBackoff
    }
}

extension SchedulerConfiguration: QueueConfiguration {}
