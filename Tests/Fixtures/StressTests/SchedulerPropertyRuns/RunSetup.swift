// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
package import TransferScheduling

/// The initial configuration of a property test run.
package struct RunSetup: Hashable, Sendable {
    package var configuration = SchedulerConfiguration()
    package var policy = "default"
    /// The seed of the scheduler's random number generator.
    package var seed: UInt64 = 1

    package init() {}

    private static let counts: [(String, any WritableKeyPath<SchedulerConfiguration, Int> & Sendable)] = [
        ("slots", \.globalSlots), ("hostSlots", \.slotsPerHost), ("appSlots", \.slotsPerApp),
        ("sessionSlots", \.slotsPerSession), ("aging", \.agingInterval), ("attempts", \.maximumAttempts),
    ]
    private static let times: [(String, any WritableKeyPath<SchedulerConfiguration, Duration> & Sendable)] = [
        ("jitter", \.staggeredStartJitter), ("drain", \.staggeredStartPeriod), ("barren", \.longestWithoutProgress),
        ("powerDwell", \.powerDebounce), ("networkDwell", \.networkDebounce), ("linkDwell", \.linkKindDebounce),
        ("meteredDwell", \.meteredDebounce), ("connectionDwell", \.connectionDebounce),
        ("powerGrace", \.powerHysteresis),
        ("networkGrace", \.networkHysteresis), ("linkGrace", \.linkKindHysteresis),
        ("meteredGrace", \.meteredHysteresis),
        ("connectionGrace", \.connectionHysteresis), ("space", \.spaceInterval), ("limiter", \.relaunchLimiter.first),
        ("limiterLongest", \.relaunchLimiter.longest), ("backoff", \.backgroundBackoff.first),
        ("backoffLongest", \.backgroundBackoff.longest),
    ]

    /// The setup as a line of text. Default values are omitted.
    package var text: String {
        var text = "setup policy=\(policy) seed=\(seed)"
        let usual = SchedulerConfiguration()
        for (key, path) in Self.counts where configuration[keyPath: path] != usual[keyPath: path] {
            text += " \(key)=\(configuration[keyPath: path])"
        }
        for (key, path) in Self.times where configuration[keyPath: path] != usual[keyPath: path] {
            text += " \(key)=\(LogLine.text(configuration[keyPath: path].wholeNanoseconds))"
        }
        if configuration.isPreemptive { text += " preemptive=1" }
        if !configuration.startsLateTransfersLast { text += " lateLast=0" }
        return text
    }

    /// Creates a setup from a line of text. Missing values have their defaults.
    package init(_ line: String) {
        let words = LogLine(line)
        policy = words["policy"] ?? "default"
        seed = words["seed"].flatMap { UInt64($0) } ?? 1
        configuration.isPreemptive = words.number("preemptive") == 1
        configuration.startsLateTransfersLast = words.number("lateLast") != 0
        for (key, path) in Self.counts {
            if let value = words.number(key) { configuration[keyPath: path] = Int(value) }
        }
        for (key, path) in Self.times {
            if let value = words.time(key) { configuration[keyPath: path] = .nanoseconds(value) }
        }
    }

    /// Returns a copy in which waiting transfers may preempt running transfers.
    package func preemptive() -> RunSetup {
        var setup = self
        setup.configuration.isPreemptive = true
        return setup
    }

    /// Creates a random setup: the default configuration, or few slots, short waits, and no jitter.
    package init(policy: String, using generator: inout some RandomNumberGenerator) {
        self.policy = policy
        seed = generator.next() >> 32
        func random(in range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
        func chance(_ percent: Int) -> Bool { random(in: 1...100) <= percent }
        if chance(50) {
            configuration.staggeredStartJitter = .zero
        } else {
            configuration.staggeredStartPeriod = .seconds(random(in: 1...90))
        }
        if chance(20) { configuration.startsLateTransfersLast = false }
        guard chance(80) else { return }
        configuration.globalSlots = random(in: 1...6)
        configuration.slotsPerHost = random(in: 1...3)
        configuration.slotsPerApp = random(in: 1...4)
        configuration.slotsPerSession = random(in: 1...3)
        configuration.agingInterval = chance(60) ? random(in: 1...5) : 16
        configuration.maximumAttempts = random(in: 1...6)
        if chance(30) { configuration.longestWithoutProgress = .seconds(random(in: 100...40_000)) }
        if chance(30) { configuration.powerDebounce = .seconds(random(in: 0...30)) }
        if chance(30) { configuration.networkDebounce = .seconds(random(in: 0...30)) }
        if chance(30) { configuration.meteredDebounce = .seconds(random(in: 0...30)) }
        if chance(30) { configuration.connectionDebounce = .seconds(random(in: 0...30)) }
        if chance(30) { configuration.powerHysteresis = .seconds(random(in: 0...20)) }
        if chance(15) { configuration.networkHysteresis = .seconds(random(in: 0...20)) }
        if chance(15) { configuration.linkKindHysteresis = .seconds(random(in: 0...20)) }
        if chance(15) { configuration.meteredHysteresis = .seconds(random(in: 0...20)) }
        if chance(15) { configuration.connectionHysteresis = .seconds(random(in: 0...20)) }
        if chance(30) { configuration.relaunchLimiter.longest = .seconds(random(in: 60...600)) }
        if chance(30) { configuration.backgroundBackoff.longest = .seconds(random(in: 30...300)) }
    }
}
