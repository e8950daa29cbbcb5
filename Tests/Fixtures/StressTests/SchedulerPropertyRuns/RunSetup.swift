// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
internal import TransferPolicy
package import TransferScheduling

/// The initial configuration of a property test run.
package struct RunSetup: Hashable, Sendable, Codable {
    /// The name of the first policy.
    package var policy = "default"
    /// The seed of the configuration, and of the scheduler's random number generator.
    package var seed: UInt64 = 1
    /// A Boolean value that indicates whether waiting transfers may preempt running transfers.
    package var isPreemptive = false
    /// A Boolean value that indicates whether the configuration has its defaults, as a shorter log may have.
    package var isUsual = false

    package init() {}

    /// The default configuration, or few slots, short waits, and no jitter.
    package var configuration: SchedulerConfiguration {
        var generator = SplitMix64(seed: seed)
        var configuration = SchedulerConfiguration()
        configuration.isPreemptive = isPreemptive
        func random(in range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
        func chance(_ percent: Int) -> Bool { random(in: 1...100) <= percent }
        func maybe(
            _ percent: Int, _ path: WritableKeyPath<SchedulerConfiguration, Duration>, _ range: ClosedRange<Int>
        ) {
            if chance(percent) { configuration[keyPath: path] = .seconds(random(in: range)) }
        }
        guard !isUsual else { return configuration }
        if chance(50) {
            configuration.staggeredStartJitter = .zero
        } else {
            configuration.staggeredStartPeriod = .seconds(random(in: 1...90))
        }
        if chance(20) { configuration.startsLateTransfersLast = false }
        guard chance(80) else { return configuration }
        configuration.globalSlots = random(in: 1...6)
        configuration.slotsPerHost = random(in: 1...3)
        configuration.slotsPerApp = random(in: 1...4)
        configuration.slotsPerSession = random(in: 1...3)
        configuration.agingInterval = chance(60) ? random(in: 1...5) : 16
        configuration.maximumAttempts = random(in: 1...6)
        maybe(30, \.longestWithoutProgress, 100...40_000)
        maybe(30, \.powerDebounce, 0...30)
        maybe(30, \.networkDebounce, 0...30)
        maybe(30, \.meteredDebounce, 0...30)
        maybe(30, \.connectionDebounce, 0...30)
        maybe(30, \.powerHysteresis, 0...20)
        maybe(15, \.networkHysteresis, 0...20)
        maybe(15, \.linkKindHysteresis, 0...20)
        maybe(15, \.meteredHysteresis, 0...20)
        maybe(15, \.connectionHysteresis, 0...20)
        maybe(30, \.relaunchLimiter.longest, 60...600)
        maybe(30, \.backgroundBackoff.longest, 30...300)
        return configuration
    }
}
