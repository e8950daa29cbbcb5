// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
internal import TransferPolicy
internal import TransferQueue

/// The staggered start of background work after sleep or an outage.
///
/// Each background start waits for a random delay, so that machines that return together do not overload a server.
struct Drain: Sendable {
    /// The time before which no background work starts.
    private(set) var gate: Instant?
    /// The time until which each start sets a new gate.
    private var end: Instant?
    /// The spans in which the gate was closed, oldest first. Only the last 16 spans are kept.
    private(set) var closings: [Range<Instant>] = []

    /// A Boolean value that indicates whether starts are staggered. Stays `true` until the first start after the end.
    var isUnderWay: Bool { end != nil }

    func isClosed(at now: Instant) -> Bool { gate.map { now < $0 } ?? false }

    /// Begins a staggered start, because the machine can work again.
    mutating func began(
        at now: Instant, _ configuration: SchedulerConfiguration, using generator: inout some RandomNumberGenerator
    ) {
        guard configuration.drainJitter > .zero else { return }
        close(at: now, configuration, using: &generator)
        end = now.advanced(by: configuration.drainPeriod)
    }

    /// Ends the staggered start, because the machine can no longer work or the period has ended.
    mutating func ended(at now: Instant) {
        if let last = closings.last, now < last.upperBound {
            closings[closings.count - 1] = last.lowerBound..<max(now, last.lowerBound)
        }
        gate = nil
        end = nil
    }

    /// Closes the gate again after a background start, or ends the staggered start if its period has ended.
    mutating func started(
        at now: Instant, _ configuration: SchedulerConfiguration, using generator: inout some RandomNumberGenerator
    ) {
        guard let end else { return }
        guard now < end else { return ended(at: now) }
        close(at: now, configuration, using: &generator)
    }

    /// Closes the gate for a random delay.
    private mutating func close(
        at now: Instant, _ configuration: SchedulerConfiguration, using generator: inout some RandomNumberGenerator
    ) {
        let longest = configuration.drainJitter.wholeNanoseconds
        let until = now.advanced(by: .nanoseconds(Int64.random(in: 0...longest, using: &generator)))
        gate = until
        if let last = closings.last, last.lowerBound <= now, now <= last.upperBound {
            closings[closings.count - 1] = last.lowerBound..<max(last.upperBound, until)
        } else {
            if closings.count >= 16 { closings.removeFirst() }
            closings.append(now..<until)
        }
    }
}

extension Assessment {
    /// A Boolean value that indicates whether no network transfer is possible, because the machine sleeps or has no
    /// usable network.
    var isOut: Bool { context.conditions.sleep.value != .awake || !context.conditions.network.value.isUsable }
}
