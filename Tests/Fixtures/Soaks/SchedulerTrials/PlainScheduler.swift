// SPDX-License-Identifier: Apache-2.0
#if DEBUG || TESTABLE
package import TransferModel
package import TransferPolicy
@testable package import TransferScheduling

/// A scheduler on top of ``PlainQueue``, which serves as the reference in a property test.
package final class PlainScheduler: TrialShadow {
    private var core: SchedulerCore<PlainQueue>
    private let configuration: SchedulerConfiguration
    package private(set) var generator: SplitMix64

    package init(_ setup: TrialSetup, _ policy: any Policy) {
        configuration = setup.configuration
        generator = SplitMix64(seed: setup.seed)
        core = SchedulerCore(
            configuration: configuration, policy: policy, learned: Learned(), boot: "", startingAt: Trial.start)
    }

    package func apply(_ event: Event, at now: Moment) -> [Effect] {
        var effects: [Effect] = []
        core.apply(event, at: now, using: &generator, into: &effects)
        return effects
    }

    package func setPolicy(_ policy: any Policy, at now: Moment) -> [Effect] {
        var effects: [Effect] = []
        core.setPolicy(policy, at: now, using: &generator, into: &effects)
        return effects
    }

    package func take(_ transfers: RecoveredTransfers, at now: Moment) { core.take(transfers, at: now) }

    package func restart(
        policy: any Policy, expecting learned: Learned, boot: String, at now: Moment
    ) -> Bool {
        // The statistics belong to the previous boot. The name only has to be the same in both schedulers.
        let mine = core.learned(at: now, boot: boot)
        core = SchedulerCore(
            configuration: configuration, policy: policy, learned: learned, boot: boot, startingAt: now)
        return mine.isLike(learned)
    }
}

extension Learned {
    /// Returns whether the statistics are equal, apart from the boot in which relaunch delays were recorded.
    fileprivate func isLike(_ other: Learned) -> Bool {
        history == other.history && budgets == other.budgets && typicalRate == other.typicalRate
            && limiters.keys == other.limiters.keys
    }
}
#endif
