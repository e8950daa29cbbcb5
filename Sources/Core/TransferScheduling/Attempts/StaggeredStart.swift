// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
internal import TransferPolicy
internal import TransferQueue

/// The staggered start of background work after sleep or an outage.
///
/// Each background start waits for a random delay, so that machines that return together do not overload a server.
struct StaggeredStart: Sendable {
    /// The time before which no background work starts. `nil` if starts are not delayed.
    private(set) var earliestStart: Instant?
    /// The time until which each start delays the next start.
    private var end: Instant?
    /// The spans in which starts were delayed, oldest first. Only the last 16 spans are kept.
    private(set) var delaySpans: [Range<Instant>] = []

    /// A Boolean value that indicates whether starts are staggered. Stays `true` until the first start after the end.
    var isActive: Bool { end != nil }

    func delaysStarts(at now: Instant) -> Bool { earliestStart.map { now < $0 } ?? false }

    /// Begins a staggered start, because the machine can work again.
    mutating func began(
        at now: Instant, _ configuration: SchedulerConfiguration, using generator: inout some RandomNumberGenerator
    ) {
        guard configuration.staggeredStartJitter > .zero else { return }
        delayStarts(at: now, configuration, using: &generator)
        end = now.advanced(by: configuration.staggeredStartPeriod)
    }

    /// Ends the staggered start, because the machine can no longer work or the period has ended.
    mutating func ended(at now: Instant) {
        if let last = delaySpans.last, now < last.upperBound {
            delaySpans[delaySpans.count - 1] = last.lowerBound..<max(now, last.lowerBound)
        }
        earliestStart = nil
        end = nil
    }

    /// Delays the next start after a background start, or ends the staggered start if its period has ended.
    mutating func started(
        at now: Instant, _ configuration: SchedulerConfiguration, using generator: inout some RandomNumberGenerator
    ) {
        guard let end else { return }
        guard now < end else { return ended(at: now) }
        delayStarts(at: now, configuration, using: &generator)
    }

    /// Delays starts for a random time.
    private mutating func delayStarts(
        at now: Instant, _ configuration: SchedulerConfiguration, using generator: inout some RandomNumberGenerator
    ) {
        let longest = configuration.staggeredStartJitter.wholeNanoseconds
        let until = now.advanced(by: .nanoseconds(Int64.random(in: 0...longest, using: &generator)))
        earliestStart = until
        if let last = delaySpans.last, last.lowerBound <= now, now <= last.upperBound {
            delaySpans[delaySpans.count - 1] = last.lowerBound..<max(last.upperBound, until)
        } else {
            if delaySpans.count >= 16 { delaySpans.removeFirst() }
            delaySpans.append(now..<until)
        }
    }
}

extension PolicyEvaluator {
    /// A Boolean value that indicates whether no network transfer is possible, because the machine sleeps or has no
    /// usable network.
    var isOffline: Bool { context.conditions.sleep.value != .awake || !context.conditions.network.value.isUsable }
}
