// SPDX-License-Identifier: Apache-2.0
import TransferModel
import TransferPolicy
import TransferScheduling

/// The bounds of the random waits after an outage. Only the longest possible wait is known.
struct StaggeredStartBounds {
    let configuration: SchedulerConfiguration
    /// The latest possible end of the current wait.
    private var latest: Instant?
    /// The time from which starts are no longer staggered.
    private var end: Instant?
    /// A time at which no background work starts, because the random wait is assumed never to be zero.
    private var notAt: Instant?
    private var isOffline = false

    /// Creates the bounds of a new process. Its first conditions end no outage.
    init(_ configuration: SchedulerConfiguration) { self.configuration = configuration }

    mutating func update(_ conditions: Conditions, at now: Instant) {
        let wasOffline = isOffline
        isOffline =
            conditions.sleep.value != .awake || conditions.network.value == .none
            || conditions.network.value == .portal
        if isOffline {
            (latest, end, notAt) = (nil, nil, nil)
        } else if wasOffline {
            end = now.advanced(by: configuration.staggeredStartPeriod)
            close(at: now)
        }
    }

    private mutating func close(at now: Instant) {
        latest = now.advanced(by: configuration.staggeredStartJitter)
        notAt = configuration.staggeredStartJitter > .zero ? now : nil
    }

    func mayBeClosed(at now: Instant) -> Bool { latest.map { now < $0 } ?? false }

    /// Records the start of background work. Returns whether the start is allowed, as far as the bounds show.
    mutating func started(at now: Instant) -> Bool {
        guard let end, now < end else { return true }
        let isAllowed = notAt != now
        close(at: now)
        return isAllowed
    }
}
