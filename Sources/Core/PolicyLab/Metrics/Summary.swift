// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy

/// What is to be said of one or several devices under one policy.
public struct Summary: Hashable, Sendable {
    /// Jobs asked for.
    public var jobs = 0
    /// Jobs that were done.
    public var done = 0
    /// Jobs that were not done by their deadlines.
    public var missed = 0
    /// How often the radio was woken.
    public var activations = 0
    /// Attempts in which bytes came.
    public var starts = 0
    /// Stops of transfers that were not done.
    public var stops = 0
    /// All bytes asked for.
    public var offeredBytes = 0.0
    /// Bytes before their deadlines, by class.
    public var onTimeBytes = Array(repeating: 0.0, count: CostClass.allCases.count)
    /// Bytes past their deadlines, by class.
    public var lateBytesByClass = Array(repeating: 0.0, count: CostClass.allCases.count)
    /// Bytes that never came.
    public var undoneBytes = 0.0
    /// What the bytes on time cost.
    public var onTimeCost = 0.0
    /// The same with the penalty for what was late or never came.
    public var costWithPenalty = 0.0
    /// The least cost that anybody could have reached, penalty included.
    public var optimalCost = 0.0
    /// From arrival to the end of each job that was done, in seconds, in order.
    public var delays: [Double] = []
    /// The share of its time that each done job with a deadline used, in order: 1 is just in time.
    public var slackUsed: [Double] = []
    /// The longest time in which no byte of a job came, in seconds.
    public var longestStarvation = 0.0
    /// How alike apps are served, 0…1: Jain's index of their mean slowdowns; nil without two apps.
    public var fairness: Double?
    /// Seconds of transfer.
    public var activeTime = DeviceOutcome.PowerShares()
    /// Seconds in which the radio stayed awake after a transfer.
    public var tailTime = DeviceOutcome.PowerShares()
    /// How often the radio was woken, by what the machine ran on.
    public var wakes = DeviceOutcome.PowerShares()
    /// What the radio took while bytes moved, in joules.
    public var activeEnergy = DeviceOutcome.PowerShares()
    /// What it took while it stayed awake after a transfer.
    public var tailEnergy = DeviceOutcome.PowerShares()
    /// What it took to wake up.
    public var wakeEnergy = DeviceOutcome.PowerShares()
    /// How long the traces are, in seconds.
    public var span = 0.0
    /// For how long power or network was unknown, in seconds.
    public var unknownTime = 0.0
    /// Events that the scheduler was told.
    public var events = 0
    /// Whether it was computed as a whole: then nothing is known of single jobs.
    public var isOptimum = false

    /// The summary of outcomes under one policy.
    ///
    /// - Parameter optima: of the same devices, in the same order.
    public init(_ outcomes: [DeviceOutcome], optima: [Optimum], settings: ReplaySettings) {
        var slowdowns: [String: [Double]] = [:]
        for outcome in outcomes {
            add(outcome, settings)
            for job in outcome.jobs {
                longestStarvation = max(longestStarvation, job.longestWait.labSeconds)
                guard let delay = job.delay else { continue }
                delays.append(delay)
                if let deadline = job.deadline {
                    slackUsed.append(delay / job.arrival.duration(to: deadline).labSeconds)
                }
                // Against the time that it would have taken alone on a free network.
                let alone = max(Double(job.bytes) / Double(max(1, settings.freeRate)), 1)
                slowdowns[job.app, default: []].append(delay / alone)
            }
        }
        delays.sort()
        slackUsed.sort()
        fairness = Self.fairness(slowdowns)
        onTimeCost = zip(onTimeBytes, CostClass.allCases).reduce(0) { $0 + $1.0 / 1e6 * settings.cost(of: $1.1) }
        costWithPenalty = onTimeCost + (lateBytes + undoneBytes) / 1e6 * settings.penalty
        optimalCost = optima.reduce(0) { $0 + $1.cost }
    }

    /// The optimum's own line.
    public init(_ optima: [Optimum], like other: Summary, settings: ReplaySettings) {
        isOptimum = true
        (jobs, span, unknownTime) = (other.jobs, other.span, other.unknownTime)
        for optimum in optima {
            offeredBytes += optimum.offeredBytes
            for index in onTimeBytes.indices { onTimeBytes[index] += optimum.onTimeBytes[index] }
            optimalCost += optimum.cost
        }
        undoneBytes = max(0, offeredBytes - onTimeBytes.reduce(0, +))
        onTimeCost = zip(onTimeBytes, CostClass.allCases).reduce(0) { $0 + $1.0 / 1e6 * settings.cost(of: $1.1) }
        costWithPenalty = optimalCost
    }

    private mutating func add(_ outcome: DeviceOutcome, _ settings: ReplaySettings) {
        jobs += outcome.jobs.count
        done += outcome.jobs.count { $0.finished != nil }
        missed += outcome.jobs.count { $0.isMissed }
        activations += outcome.activations
        starts += outcome.jobs.reduce(0) { $0 + $1.starts }
        stops += outcome.stops
        offeredBytes += outcome.offeredBytes
        undoneBytes += outcome.undoneBytes
        for index in onTimeBytes.indices {
            onTimeBytes[index] += outcome.onTimeBytes[index]
            lateBytesByClass[index] += outcome.lateBytesByClass[index]
        }
        activeTime += outcome.activeTime
        tailTime += outcome.tailTime
        wakes += outcome.wakes
        activeEnergy += outcome.activeEnergy
        tailEnergy += outcome.tailEnergy
        wakeEnergy += outcome.wakeEnergy
        span += outcome.span
        unknownTime += outcome.unknownTime
        events += outcome.events
    }

    private static func fairness(_ slowdowns: [String: [Double]]) -> Double? {
        guard slowdowns.count > 1 else { return nil }
        let means = slowdowns.sorted { $0.key < $1.key }.map { $0.value.reduce(0, +) / Double($0.value.count) }
        let sum = means.reduce(0, +)
        let squares = means.reduce(0) { $0 + $1 * $1 }
        return squares > 0 ? sum * sum / (Double(means.count) * squares) : nil
    }

    // MARK: What follows from these

    /// Bytes past their deadlines.
    public var lateBytes: Double { lateBytesByClass.reduce(0, +) }

    /// The share of all bytes that were late or never came, 0…1.
    public var lateShare: Double { offeredBytes > 0 ? (lateBytes + undoneBytes) / offeredBytes : 0 }

    /// The share of all jobs that were not done by their deadlines, 0…1.
    public var missedShare: Double { jobs > 0 ? Double(missed) / Double(jobs) : 0 }

    /// What the bytes on time cost, for each 10⁶ bytes asked for; nil where none were.
    ///
    /// For each asked for, not for each on time: else whoever brings the cheap half alone would look like a bargain.
    public var onTimeCostPerMegabyte: Double? { offeredBytes > 0 ? onTimeCost / (offeredBytes / 1e6) : nil }

    /// By how much the cost with penalty is above the least possible, over all bytes asked for, per 10⁶.
    public var regretPerMegabyte: Double? {
        offeredBytes > 0 ? (costWithPenalty - optimalCost) / (offeredBytes / 1e6) : nil
    }

    /// The delay that a share of the done jobs did not exceed, in seconds; nil where none was done.
    public func delay(atShare share: Double) -> Double? { Self.quantile(delays, share) }

    /// The part of its time that a share of the done jobs did not exceed.
    public func slackUsed(atShare share: Double) -> Double? { Self.quantile(slackUsed, share) }

    /// The value at a share of sorted ones.
    static func quantile(_ sorted: [Double], _ share: Double) -> Double? {
        guard !sorted.isEmpty else { return nil }
        return sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]
    }
}

extension DeviceOutcome.PowerShares {
    static func += (left: inout Self, right: Self) {
        left.battery += right.battery
        left.wall += right.wall
    }
}
