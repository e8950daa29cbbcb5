// SPDX-License-Identifier: Apache-2.0
public import TransferModel

extension RelaunchLimiter {
    /// A description of the limiter's state at one moment, for `transferctl`, logs, and `transferlab`.
    public struct Explanation: Hashable, Sendable {
        /// The cause of the delay; `none` if there is no delay.
        public enum Cause: String, Hashable, Sendable {
            /// The delay is 0.
            case none
            /// The delay's period has not ended.
            case period
            /// The period has ended, but a delayed task is unfinished and may launch the app again.
            case delayedTask = "heldTask"
            /// A delayed task has ended, and the app has not yet been launched for it.
            case relaunch
        }

        /// A group of tasks that wait for the same moment.
        public struct Waiting: Hashable, Sendable {
            /// The moment at which the tasks may begin.
            public let release: Instant
            /// The number of unfinished tasks in the group.
            public let count: Int
        }

        /// The delay of background work, measured from the last launch of the app.
        public let delay: Duration
        /// The number of launches that produced the delay.
        public let relaunches: Int
        /// The time of the last launch, or `nil` if the delay is 0.
        public let lastRelaunch: Instant?
        /// The end of the delay's period, or `nil` if the delay is 0 or the period has ended.
        public let until: Instant?
        /// The cause of the delay; `none` if there is no delay.
        public let cause: Cause
        /// The waiting tasks, grouped by release and sorted with the soonest first.
        public let waiting: [Waiting]
        /// The number of unfinished tasks whose delay has passed.
        public let begun: Int
    }

    /// Returns a description of the limiter's state at `now`.
    public func explanation(at now: Instant) -> Explanation {
        var current = self
        current.resetIfInactive(at: now)
        let isInactive = current.relaunches == 0
        let until = isInactive || now >= current.periodEnd ? nil : current.periodEnd
        let waiting = current.cohorts.filter { $0.release > now }.map {
            Explanation.Waiting(release: $0.release, count: $0.unfinished)
        }
        let cause: Explanation.Cause =
            if isInactive {
                .none
            } else if until != nil {
                .period
            } else {
                current.cohorts.isEmpty ? .relaunch : .delayedTask
            }
        return Explanation(
            delay: current.delay(at: now), relaunches: current.relaunches,
            lastRelaunch: isInactive ? nil : current.lastRelaunch, until: until, cause: cause,
            waiting: waiting.sorted { $0.release < $1.release },
            begun: current.cohorts.filter { $0.release <= now }.reduce(0) { $0 + $1.unfinished })
    }
}
