// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
internal import TransferPolicy
internal import TransferQueue

/// Spreads the starts after sleep or an outage, so that machines that come back together do not fall upon a server
/// together: each start of background work waits a random while.
struct Drain: Sendable {
    /// Until then no background work starts.
    private(set) var gate: Instant?
    /// Until then each start sets the gate anew.
    private var end: Instant?
    /// When the gate was closed, the oldest first; the last few times only.
    private(set) var closings: [Range<Instant>] = []

    /// Whether starts are spread, until one comes after the end of that.
    var isUnderWay: Bool { end != nil }

    func isClosed(at now: Instant) -> Bool { gate.map { now < $0 } ?? false }

    /// The machine can work again.
    mutating func began(
        at now: Instant, _ configuration: SchedulerConfiguration, using generator: inout some RandomNumberGenerator
    ) {
        guard configuration.drainJitter > .zero else { return }
        close(at: now, configuration, using: &generator)
        end = now.advanced(by: configuration.drainPeriod)
    }

    /// The machine cannot work any more.
    mutating func ended(at now: Instant) {
        if let last = closings.last, now < last.upperBound {
            closings[closings.count - 1] = last.lowerBound..<max(now, last.lowerBound)
        }
        gate = nil
        end = nil
    }

    /// Background work has started.
    mutating func started(
        at now: Instant, _ configuration: SchedulerConfiguration, using generator: inout some RandomNumberGenerator
    ) {
        guard let end else { return }
        guard now < end else { return ended(at: now) }
        close(at: now, configuration, using: &generator)
    }

    /// Closes the gate for a random while.
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
    /// Whether nothing can be transferred over a network: it sleeps, or there is none.
    var isOut: Bool { context.conditions.sleep.value != .awake || !context.conditions.network.value.isUsable }
}
