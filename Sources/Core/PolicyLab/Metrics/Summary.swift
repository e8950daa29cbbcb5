// SPDX-License-Identifier: Apache-2.0
import TransferPolicy

/// The results of one or several devices under one policy.
///
/// ## Topics
///
/// ### Jobs
/// - ``jobs``
/// - ``done``
/// - ``missed``
/// - ``missedShare``
/// - ``starts``
/// - ``stops``
///
/// ### Bytes
/// - ``offeredBytes``
/// - ``onTimeBytes``
/// - ``lateBytesByClass``
/// - ``lateBytes``
/// - ``undoneBytes``
/// - ``lateShare``
///
/// ### Costs
/// - ``onTimeCost``
/// - ``onTimeCostPerMegabyte``
/// - ``costWithPenalty``
/// - ``optimalCost``
/// - ``regretPerMegabyte``
///
/// ### Delays and fairness
/// - ``delays``
/// - ``delay(atShare:)``
/// - ``slackUsed``
/// - ``slackUsed(atShare:)``
/// - ``longestStarvation``
/// - ``fairness``
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
/// - ``isOptimum``
public struct Summary: Hashable, Sendable {
    /// The number of jobs.
    public var jobs = 0
    /// The number of finished jobs.
    public var done = 0
    /// The number of jobs that did not finish by their deadlines. A job without a deadline counts if it never
    /// finished.
    public var missed = 0
    /// The number of times that the radio was woken.
    public var activations = 0
    /// The number of attempts in which bytes arrived.
    public var starts = 0
    /// The number of times that an unfinished transfer was stopped.
    public var stops = 0
    /// The number of bytes of all jobs, as submitted.
    public var offeredBytes = 0.0
    /// The number of bytes that arrived before their deadlines, by the raw value of ``CostClass``.
    public var onTimeBytes = Array(repeating: 0.0, count: CostClass.allCases.count)
    /// The number of bytes that arrived after their deadlines, by the raw value of ``CostClass``.
    public var lateBytesByClass = Array(repeating: 0.0, count: CostClass.allCases.count)
    /// The number of bytes that never arrived.
    public var undoneBytes = 0.0
    /// The cost of the on-time bytes, in the unit of ``ReplaySettings/costs``, including the price of energy.
    public var onTimeCost = 0.0
    /// The cost of the on-time bytes, plus the penalty for bytes that were late or never arrived.
    public var costWithPenalty = 0.0
    /// The lowest possible cost of the same jobs, including the penalty for bytes that cannot be on time.
    public var optimalCost = 0.0
    /// The time from arrival to finish of each finished job.
    public var delays = ValueDistribution()
    /// The share of its available time that each finished job with a deadline used. A value of 1 is just in time.
    public var slackUsed = ValueDistribution()
    /// The longest time in which no byte of a job arrived, in seconds.
    public var longestStarvation = 0.0
    /// The fairness between apps, 0…1: Jain's index of the apps' mean slowdowns. `nil` if there are fewer than two
    /// apps.
    public var fairness: Double?
    /// The transfer time in seconds.
    public var activeTime = DeviceOutcome.PowerShares()
    /// The time in seconds in which the radio stayed awake after a transfer.
    public var tailTime = DeviceOutcome.PowerShares()
    /// The number of times that the radio was woken, by power source.
    public var wakes = DeviceOutcome.PowerShares()
    /// The radio's energy during transfers, in joules.
    public var activeEnergy = DeviceOutcome.PowerShares()
    /// The radio's energy while it stayed awake after transfers, in joules.
    public var tailEnergy = DeviceOutcome.PowerShares()
    /// The radio's energy to wake up, in joules.
    public var wakeEnergy = DeviceOutcome.PowerShares()
    /// The total length of the traces in seconds.
    public var span = 0.0
    /// The time in which power or network was unknown, in seconds.
    public var unknownTime = 0.0
    /// The number of events that the scheduler received.
    public var events = 0
    /// A Boolean value that indicates whether the summary describes the computed optimum, for which nothing is known
    /// about single jobs.
    public var isOptimum = false

    /// Creates the summary of outcomes under one policy.
    ///
    /// - Parameters:
    ///   - outcomes: The outcomes of the devices.
    ///   - optima: The optima of the same devices, in the same order.
    ///   - settings: The settings of the replays.
    public init(_ outcomes: [DeviceOutcome], optima: [Optimum], settings: ReplaySettings) {
        var totals = OutcomeTotals(exactLimit: .max)
        for outcome in outcomes { totals.add(outcome, wifiRate: settings.wifiRate) }
        self.init(totals, optimum: OptimumTotals(optima), settings: settings)
    }

    /// Creates the summary of the optimum.
    public init(_ optima: [Optimum], matching other: Summary, settings: ReplaySettings) {
        self.init(OptimumTotals(optima), matching: other, settings: settings)
    }

    /// Creates the summary of the totals under one policy.
    init(_ totals: OutcomeTotals, optimum: OptimumTotals, settings: ReplaySettings) {
        let sums = totals.sums
        func count(_ measure: OutcomeTotals.Measure) -> Int { Int(clamping: sums[measure]) }
        func shares(_ battery: OutcomeTotals.Measure, _ ac: OutcomeTotals.Measure) -> DeviceOutcome.PowerShares {
            DeviceOutcome.PowerShares(battery: sums.units(battery), ac: sums.units(ac))
        }
        (jobs, done, missed, events) = (count(.jobs), count(.done), count(.missed), count(.events))
        (activations, starts, stops) = (count(.activations), count(.starts), count(.stops))
        (offeredBytes, undoneBytes) = (sums.units(.offeredBytes), sums.units(.undoneBytes))
        onTimeBytes = OutcomeTotals.Measure.onTime.map { sums.units($0) }
        lateBytesByClass = OutcomeTotals.Measure.late.map { sums.units($0) }
        activeTime = shares(.activeTimeBattery, .activeTimeAC)
        tailTime = shares(.tailTimeBattery, .tailTimeAC)
        wakes = shares(.wakesBattery, .wakesAC)
        activeEnergy = shares(.activeEnergyBattery, .activeEnergyAC)
        tailEnergy = shares(.tailEnergyBattery, .tailEnergyAC)
        wakeEnergy = shares(.wakeEnergyBattery, .wakeEnergyAC)
        (span, unknownTime) = (sums.units(.span), sums.units(.unknownTime))
        (delays, slackUsed) = (totals.delays, totals.slackUsed)
        delays.sort()
        slackUsed.sort()
        longestStarvation = Double(totals.longestWait) / 1e9
        fairness = totals.fairness
        onTimeCost = Amount(nanobytes: totals.onTimeCost(settings)).bytes
        costWithPenalty = onTimeCost + (lateBytes + undoneBytes) / 1e6 * settings.penalty
        optimalCost = optimum.sums.units(.cost)
    }

    /// Creates the summary of the totals of the optimum.
    init(_ optimum: OptimumTotals, matching other: Summary, settings: ReplaySettings) {
        isOptimum = true
        (jobs, span, unknownTime) = (other.jobs, other.span, other.unknownTime)
        (offeredBytes, optimalCost) = (optimum.sums.units(.offeredBytes), optimum.sums.units(.cost))
        onTimeBytes = OptimumTotals.Measure.onTime.map { optimum.sums.units($0) }
        undoneBytes = Amount(nanobytes: optimum.lateOrUndone).bytes
        onTimeCost = Amount(nanobytes: optimum.onTimeCost(settings)).bytes
        costWithPenalty = optimalCost
    }

    // MARK: Derived values

    /// The number of bytes that arrived after their deadlines.
    public var lateBytes: Double { lateBytesByClass.reduce(0, +) }

    /// The share of all bytes that were late or never arrived, 0…1.
    public var lateShare: Double { offeredBytes > 0 ? (lateBytes + undoneBytes) / offeredBytes : 0 }

    /// The share of all jobs that did not finish by their deadlines, 0…1.
    public var missedShare: Double { jobs > 0 ? Double(missed) / Double(jobs) : 0 }

    /// The cost of the on-time bytes per 10⁶ submitted bytes; `nil` if no bytes were submitted.
    ///
    /// The divisor is the submitted bytes, not the on-time bytes. Otherwise a policy that transfers only the cheap
    /// half would look like a bargain.
    public var onTimeCostPerMegabyte: Double? { offeredBytes > 0 ? onTimeCost / (offeredBytes / 1e6) : nil }

    /// The difference between ``costWithPenalty`` and ``optimalCost``, per 10⁶ submitted bytes; `nil` if no bytes were
    /// submitted.
    public var regretPerMegabyte: Double? {
        offeredBytes > 0 ? (costWithPenalty - optimalCost) / (offeredBytes / 1e6) : nil
    }

    /// Returns the delay that a share of the finished jobs did not exceed, in seconds; `nil` if no job finished.
    ///
    /// - Parameter share: The share, 0…1. The share 0.5 gives the median, and 1 the longest delay.
    public func delay(atShare share: Double) -> Double? { delays.quantile(share) }

    /// Returns the share of its available time that a share of the finished jobs did not exceed; `nil` if no job with
    /// a deadline finished. The result exceeds 1 for late jobs.
    ///
    /// - Parameter share: The share of the jobs, 0…1.
    public func slackUsed(atShare share: Double) -> Double? { slackUsed.quantile(share) }

    /// Returns the quantile of sorted values; `nil` if there are none.
    static func quantile(_ sorted: [Double], _ share: Double) -> Double? {
        guard !sorted.isEmpty else { return nil }
        return sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]
    }
}
