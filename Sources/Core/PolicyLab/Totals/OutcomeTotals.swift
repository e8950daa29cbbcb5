// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The outcomes of any number of devices under one policy, in constant memory.
package struct OutcomeTotals: Hashable, Sendable, Codable {
    /// The sums of all devices: numbers, 10⁻⁹ bytes, 10⁻⁹ of a cost, nanoseconds, and nanojoules.
    package enum Measure: Int, SumMeasure {
        case jobs, done, missed, activations, starts, stops, events
        case offeredBytes, undoneBytes
        case onTimeACUnmetered, onTimeBatteryUnmetered, onTimeACMetered, onTimeBatteryMetered
        case lateACUnmetered, lateBatteryUnmetered, lateACMetered, lateBatteryMetered
        case priceCost
        case activeTimeBattery, activeTimeAC, tailTimeBattery, tailTimeAC, wakesBattery, wakesAC
        case activeEnergyBattery, activeEnergyAC, tailEnergyBattery, tailEnergyAC, wakeEnergyBattery, wakeEnergyAC
        case span, unknownTime

        package static let names = allCases.map { "\($0)" }

        static let onTime: [Measure] = [
            .onTimeACUnmetered, .onTimeBatteryUnmetered, .onTimeACMetered, .onTimeBatteryMetered,
        ]
        static let late: [Measure] = [.lateACUnmetered, .lateBatteryUnmetered, .lateACMetered, .lateBatteryMetered]
    }

    /// The slowdowns of an app's finished jobs.
    struct Slowdowns: Hashable, Sendable, Codable {
        /// The sum in billionths.
        var sum: Int128 = 0
        var count = 0
    }

    package private(set) var sums = Sums<Measure>()
    /// The longest time in which no byte of a job arrived, in nanoseconds.
    private(set) var longestWait: Int64 = 0
    /// The slowdowns by app.
    private(set) var apps: [String: Slowdowns] = [:]
    /// The time from arrival to finish of each finished job, in nanoseconds.
    package private(set) var delays: ValueDistribution
    /// The share of its available time that each finished job with a deadline used, in billionths.
    private(set) var slackUsed: ValueDistribution

    /// Creates empty totals.
    ///
    /// - Parameter exactLimit: The number of delays up to which their quantiles are exact.
    package init(exactLimit: Int) {
        delays = ValueDistribution(exactLimit: exactLimit)
        slackUsed = ValueDistribution(exactLimit: exactLimit)
    }

    /// Adds the outcome of a device.
    ///
    /// - Parameter wifiRate: The rate in bytes per second at which a job would run alone, for its slowdown.
    mutating func add(_ outcome: DeviceOutcome, wifiRate: Int64) {
        addSums(of: outcome)
        for job in outcome.jobs {
            sums[.starts] += Int128(job.starts)
            if job.isMissed { sums[.missed] += 1 }
            longestWait = max(longestWait, job.longestWait.wholeNanoseconds)
            guard let finished = job.finished else { continue }
            sums[.done] += 1
            let delay = job.arrival.duration(to: finished)
            delays.add(delay.wholeNanoseconds)
            if let deadline = job.deadline {
                let share = Int128(billionthsOf: delay.labSeconds / job.arrival.duration(to: deadline).labSeconds)
                slackUsed.add(Int64(clamping: share))
            }
            // The reference is the time that the job would take alone on an unmetered network.
            let alone = max(Double(job.bytes) / Double(max(1, wifiRate)), 1)
            apps[job.app, default: Slowdowns()].sum += Int128(billionthsOf: delay.labSeconds / alone)
            apps[job.app, default: Slowdowns()].count += 1
        }
        delays.sort()
        slackUsed.sort()
    }

    private mutating func addSums(of outcome: DeviceOutcome) {
        sums[.jobs] += Int128(outcome.jobs.count)
        sums[.activations] += Int128(outcome.activations)
        sums[.stops] += Int128(outcome.stops)
        sums[.events] += Int128(outcome.events)
        for (measures, bytes) in [(Measure.onTime, outcome.onTimeBytes), (Measure.late, outcome.lateBytesByClass)] {
            for (measure, bytes) in zip(measures, bytes) { sums[measure] += Int128(billionthsOf: bytes) }
        }
        let amounts: [(Measure, Double)] = [
            (.offeredBytes, outcome.offeredBytes), (.undoneBytes, outcome.undoneBytes),
            (.priceCost, outcome.priceCost), (.span, outcome.span), (.unknownTime, outcome.unknownTime),
        ]
        for (measure, amount) in amounts { sums[measure] += Int128(billionthsOf: amount) }
        let shares: [(Measure, Measure, DeviceOutcome.PowerShares)] = [
            (.activeTimeBattery, .activeTimeAC, outcome.activeTime), (.tailTimeBattery, .tailTimeAC, outcome.tailTime),
            (.wakesBattery, .wakesAC, outcome.wakes),
            (.activeEnergyBattery, .activeEnergyAC, outcome.activeEnergy),
            (.tailEnergyBattery, .tailEnergyAC, outcome.tailEnergy),
            (.wakeEnergyBattery, .wakeEnergyAC, outcome.wakeEnergy),
        ]
        for (battery, ac, share) in shares {
            sums[battery] += Int128(billionthsOf: share.battery)
            sums[ac] += Int128(billionthsOf: share.ac)
        }
    }

    /// Adds the totals of other devices.
    mutating func merge(_ other: OutcomeTotals) {
        sums += other.sums
        longestWait = max(longestWait, other.longestWait)
        for (app, slowdowns) in other.apps {
            apps[app, default: Slowdowns()].sum += slowdowns.sum
            apps[app, default: Slowdowns()].count += slowdowns.count
        }
        delays.merge(other.delays)
        slackUsed.merge(other.slackUsed)
    }

    /// The bytes that were late or never arrived, in 10⁻⁹ bytes.
    var lateOrUndone: Int128 { Measure.late.reduce(sums[.undoneBytes]) { $0 + sums[$1] } }

    /// Jain's index of the apps' mean slowdowns; `nil` if there are fewer than two apps.
    var fairness: Double? {
        let means = apps.sorted { $0.key < $1.key }.map { Double($0.value.sum) / 1e9 / Double($0.value.count) }
        guard means.count > 1 else { return nil }
        let sum = means.reduce(0, +)
        let squares = means.reduce(0) { $0 + $1 * $1 }
        return squares > 0 ? sum * sum / (Double(means.count) * squares) : nil
    }
}

/// The optima of any number of devices, in constant memory.
package struct OptimumTotals: Hashable, Sendable, Codable {
    /// The sums of all devices, in 10⁻⁹ bytes or 10⁻⁹ of a cost.
    package enum Measure: Int, SumMeasure {
        case offeredBytes, cost, priceCost, leastLateBytes, leastLateBytesUnmetered
        case onTimeACUnmetered, onTimeBatteryUnmetered, onTimeACMetered, onTimeBatteryMetered

        package static let names = allCases.map { "\($0)" }

        static let onTime: [Measure] = [
            .onTimeACUnmetered, .onTimeBatteryUnmetered, .onTimeACMetered, .onTimeBatteryMetered,
        ]
    }

    package private(set) var sums = Sums<Measure>()

    package init() {}

    /// Creates the totals of devices.
    init(_ optima: [Optimum]) {
        for optimum in optima { add(optimum) }
    }

    /// Adds the optimum of a device.
    mutating func add(_ optimum: Optimum) {
        let amounts: [(Measure, Double)] = [
            (.offeredBytes, optimum.offeredBytes), (.cost, optimum.cost), (.priceCost, optimum.priceCost),
            (.leastLateBytes, optimum.leastLateShare * optimum.offeredBytes),
            (.leastLateBytesUnmetered, optimum.leastLateShareUnmetered * optimum.offeredBytes),
        ]
        for (measure, amount) in amounts + Array(zip(Measure.onTime, optimum.onTimeBytes)) {
            sums[measure] += Int128(billionthsOf: amount)
        }
    }

    /// Adds the totals of other devices.
    mutating func merge(_ other: OptimumTotals) { sums += other.sums }

    /// The bytes that are not on time, in 10⁻⁹ bytes.
    var lateOrUndone: Int128 { max(0, Measure.onTime.reduce(sums[.offeredBytes]) { $0 - sums[$1] }) }
}
