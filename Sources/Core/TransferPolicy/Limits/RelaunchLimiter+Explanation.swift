// SPDX-License-Identifier: Apache-2.0
public import TransferModel

extension RelaunchLimiter {
    /// The limiter's state at one moment, for the command line, logs and the lab.
    public struct Explanation: Hashable, Sendable {
        /// What keeps the delay from falling to 0.
        public enum Cause: String, Hashable, Sendable {
            /// Nothing: the delay is 0.
            case none
            /// Its period runs.
            case period
            /// Its period is over, but a task that was held is not finished and may start the app again.
            case heldTask
            /// A held task has ended, and the app is still to be started for it.
            case relaunch
        }

        /// Tasks that wait for the same moment.
        public struct Waiting: Hashable, Sendable {
            /// When they may begin.
            public let release: Instant
            /// How many there are.
            public let count: Int
        }

        /// How long background work waits, counted from the last start of the app.
        public let delay: Duration
        /// How many starts of the app led to it.
        public let relaunches: Int
        /// When the last of them was; nil while the delay is 0.
        public let lastRelaunch: Instant?
        /// When the delay's period ends; nil where the delay is 0 or the period over.
        public let until: Instant?
        /// What keeps the delay up.
        public let cause: Cause
        /// The tasks that wait, soonest first.
        public let waiting: [Waiting]
        /// Tasks that were held, may begin by now and are not finished.
        public let begun: Int
    }

    /// Says what holds, at `now`.
    public func explanation(at now: Instant) -> Explanation {
        var settled = self
        settled.settle(at: now)
        let isOver = settled.relaunches == 0
        let until = isOver || now >= settled.periodEnd ? nil : settled.periodEnd
        let waiting = settled.cohorts.filter { $0.release > now }.map {
            Explanation.Waiting(release: $0.release, count: $0.unfinished)
        }
        let cause: Explanation.Cause =
            if isOver {
                .none
            } else if until != nil {
                .period
            } else {
                settled.cohorts.isEmpty ? .relaunch : .heldTask
            }
        return Explanation(
            delay: settled.delay(at: now), relaunches: settled.relaunches,
            lastRelaunch: isOver ? nil : settled.lastRelaunch, until: until, cause: cause,
            waiting: waiting.sorted { $0.release < $1.release },
            begun: settled.cohorts.filter { $0.release <= now }.reduce(0) { $0 + $1.unfinished })
    }
}
