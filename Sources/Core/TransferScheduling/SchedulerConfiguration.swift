// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
public import TransferPolicy
import TransferQueue

/// The scheduler's settings.
public struct SchedulerConfiguration: Hashable, Sendable {
    /// How many transfers may run at once. Default 4, at least 1.
    public var globalSlots: Int = 4
    /// How many of them to one host. Default 2, at least 1.
    public var slotsPerHost: Int = 2
    /// How many of one app. Default 4, at least 1.
    public var slotsPerApp: Int = 4
    /// How many of one session of an app. Default 4, at least 1.
    public var slotsPerSession: Int = 4
    /// How many starts may pass over lower-ranking work that may run before one start goes to it. Default 16, at least 1.
    public var agingInterval: Int = 16
    /// Whether a transfer that may start takes the slot of one that ranks below it, where all slots together are taken:
    /// user-initiated before others, then the higher priority, then the earlier deadline, and within an app the lower id.
    /// What it stops keeps its bytes. A start that ageing gave is not taken back. Default no.
    public var isPreemptive: Bool = false
    /// After sleep or an outage background work starts one by one, each after a random wait of up to this. Default 5 s;
    /// zero lets all start at once.
    public var drainJitter: Duration = .seconds(5)
    /// How long after sleep or an outage starts are spread so. Default 60 s.
    public var drainPeriod: Duration = .seconds(60)
    /// How long attempts and the waits between them may go on without one new byte. Default 14 days.
    public var longestWithoutProgress: Duration = .seconds(14 * 86_400)
    /// How the relaunch limiter delays.
    public var relaunchLimiter: RelaunchLimiterConfiguration = RelaunchLimiterConfiguration()
    /// How long the power supply must hold before discretionary work starts on it. Default 10 s.
    public var powerDwell: Duration = .seconds(10)
    /// The same for what can be reached. Default 5 s.
    public var networkDwell: Duration = .seconds(5)
    /// The same for the kind of link. Default 5 s.
    public var linkKindDwell: Duration = .seconds(5)
    /// The same for the price. Default 5 s.
    public var meteredDwell: Duration = .seconds(5)
    /// The same for which connection it is, and whether it roams. Default 5 s.
    public var connectionDwell: Duration = .seconds(5)
    /// How long work goes on after power that it needs is lost. Default 5 s.
    public var powerGrace: Duration = .seconds(5)
    /// The same for what can be reached. Default none.
    public var networkGrace: Duration = .zero
    /// The same for the kind of link. Default none.
    public var linkKindGrace: Duration = .zero
    /// The same for the price: a link that turns metered is left at once. Default none.
    public var meteredGrace: Duration = .zero
    /// The same for which connection it is, and whether it roams. Default none.
    public var connectionGrace: Duration = .zero
    /// Fewer new bytes than this in an attempt are no progress. Default 1 KiB.
    public var leastProgress: Int64 = 1024
    /// Failed attempts without progress after which work that is not discretionary ends. Default 5, at least 1.
    public var maximumAttempts: Int = 5
    /// How long background work waits after a failure.
    public var backgroundBackoff: Backoff = .background
    /// How long user-initiated work waits after a failure.
    public var userInitiatedBackoff: Backoff = .userInitiated
    /// How often room is measured while a transfer waits for it. Default 15 s.
    public var spaceInterval: Duration = .seconds(15)
    /// What to make of a link whose price nobody knows.
    public var unknownMetered: UnknownMeteredRule = UnknownMeteredRule()

    /// The defaults.
    public init() {}

    /// How long work of a kind waits after a failure.
    func backoff(for kind: WorkKind) -> Backoff {
        kind == .userInitiated ? userInitiatedBackoff : backgroundBackoff
    }
}

extension SchedulerConfiguration: QueueConfiguration {}
