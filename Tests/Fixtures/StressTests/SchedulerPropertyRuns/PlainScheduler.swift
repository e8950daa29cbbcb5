// SPDX-License-Identifier: Apache-2.0
#if DEBUG || TESTABLE
package import TransferModel
package import TransferPolicy
@testable package import TransferScheduling

/// A scheduler on top of ``PlainQueue``, which serves as the reference in a property test.
package final class PlainScheduler: ReferenceScheduler {
    private var core: SchedulerCore<PlainQueue>
    private let configuration: SchedulerConfiguration
    package private(set) var generator: SplitMix64

    package init(_ setup: RunSetup, _ policy: any Policy) {
        configuration = setup.configuration
        generator = SplitMix64(seed: setup.seed)
        core = SchedulerCore(
            configuration: configuration, policy: policy, statistics: PersistedStatistics(), boot: "",
            startingAt: PropertyRun.start)
    }

    package func apply(_ event: Event, at now: ClockReading) -> [Effect] {
        var effects: [Effect] = []
        core.apply(event, at: now, using: &generator, into: &effects)
        return effects
    }

    package func setPolicy(_ policy: any Policy, at now: ClockReading) -> [Effect] {
        var effects: [Effect] = []
        core.setPolicy(policy, at: now, using: &generator, into: &effects)
        return effects
    }

    package func recover(_ transfers: RecoveredTransfers, at now: ClockReading) { core.recover(transfers, at: now) }

    package func restart(
        policy: any Policy, expecting statistics: PersistedStatistics, boot: String, at now: ClockReading
    ) -> Bool {
        // The statistics belong to the previous boot. The name only has to be the same in both schedulers.
        let mine = core.statistics(at: now, boot: boot)
        core = SchedulerCore(
            configuration: configuration, policy: policy, statistics: statistics, boot: boot, startingAt: now)
        return mine.isLike(statistics)
    }
}

extension PersistedStatistics {
    /// Returns whether the statistics are equal, apart from the boot in which relaunch delays were recorded.
    fileprivate func isLike(_ other: PersistedStatistics) -> Bool {
        history == other.history && budgets == other.budgets && typicalRate == other.typicalRate
            && limiters.keys == other.limiters.keys && serverWaits == other.serverWaits
    }
}
#endif
