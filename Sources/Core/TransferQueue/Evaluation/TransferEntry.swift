// SPDX-License-Identifier: Apache-2.0
package import TransferModel
package import TransferPolicy

/// The scheduler's complete state of one transfer.
package struct TransferEntry: Hashable, Sendable {
    package var traits: TransferTraits
    package var phase: TransferPhase
    /// The number of bytes present.
    package var bytes: Int64 = 0
    /// The size that the server reported; `nil` if it has not.
    package var total: Int64?
    /// The latest rate, smoothed, in bytes per second.
    package var rate: Int64?
    /// The highest number of bytes that any attempt reached.
    package var mostBytes: Int64 = 0
    /// The number of failed attempts since the last progress.
    package var failures = 0
    /// The number of times that the complete body had the wrong checksum.
    package var checksumFailures = 0
    /// The total time of attempts and subsequent waits without one new byte.
    package var timeWithoutProgress: Duration = .zero
    /// The state that few transfers have. The array has at most one element, and is the smallest box with value
    /// semantics.
    private var rare: [Rare] = []

    /// The state that few transfers have.
    private struct Rare: Hashable, Sendable {
        var relaunchDelay: AssignedDelay?
        var held: Block?
        var need: Need?
        var past: PastWaits?
    }

    package init(traits: consuming TransferTraits, phase: TransferPhase) {
        self.traits = traits
        self.phase = phase
    }

    /// A Boolean value that indicates whether the transfer has no optional state, such as a block, a delay, or past
    /// waits.
    package var isOrdinary: Bool { rare.isEmpty }

    /// The delay from the app's relaunch limiter; `nil` if the transfer is not currently delayed.
    package var relaunchDelay: AssignedDelay? {
        get { rare.first?.relaunchDelay }
        set { setRare(\.relaunchDelay, newValue) }
    }
    /// The block that a user or a program has placed on the transfer.
    package var held: Block? {
        get { rare.first?.held }
        set { setRare(\.held, newValue) }
    }
    /// The action that the app must take first.
    package var need: Need? {
        get { rare.first?.need }
        set { setRare(\.need, newValue) }
    }
    /// The time spent in waits that have ended: after failed attempts, in pauses, and while blocked.
    package var past: PastWaits? {
        get { rare.first?.past }
        set { setRare(\.past, newValue) }
    }

    private mutating func setRare<Value>(_ part: WritableKeyPath<Rare, Value?>, _ value: Value?) {
        if rare.isEmpty {
            guard value != nil else { return }
            rare = [Rare()]
        }
        rare[0][keyPath: part] = value
    }

    /// A delay that the relaunch limiter assigned.
    package struct AssignedDelay: Hashable, Sendable {
        package var relaunchDelay: RelaunchLimiter.RelaunchDelay
        package var release: Instant
        package var delay: Duration
        package var relaunches: Int
        package var since: ClockReading

        package init(
            relaunchDelay: RelaunchLimiter.RelaunchDelay, release: Instant, delay: Duration, relaunches: Int,
            since: ClockReading
        ) {
            self.relaunchDelay = relaunchDelay
            self.release = release
            self.delay = delay
            self.relaunches = relaunches
            self.since = since
        }
    }

    /// A block that a user or a program has placed on a transfer.
    package struct Block: Hashable, Sendable {
        package var by: String
        package var why: String
        package var since: ClockReading

        package init(by: String, why: String, since: ClockReading) {
            self.by = by
            self.why = why
            self.since = since
        }
    }

    /// An action that the app must take.
    package struct Need: Hashable, Sendable {
        package var need: AppNeed
        package var since: ClockReading

        package init(need: AppNeed, since: ClockReading) {
            self.need = need
            self.since = since
        }
    }

    /// The transfer from a policy's point of view.
    package var subject: PolicySubject {
        PolicySubject(
            traits: traits, isRunning: phase.occupiesSlot, bytesDone: bytes,
            bytesTotal: total ?? traits.expectedBytesToReceive, rate: rate, start: start)
    }

    /// The number of missing bytes; `nil` while the size is unknown.
    package var bytesRemaining: Int64? {
        (total ?? traits.expectedBytesToReceive).map { max(0, $0.addingSaturating(-max(0, bytes))) }
    }

    /// A Boolean value that indicates whether the transfer's start is randomly delayed after sleep and outages.
    package var isStaggered: Bool { StaggeringRule.applies(to: traits.kind, isLoopback: traits.isLoopback) }

    private var start: PolicySubject.Start? {
        guard case .running(let attempt) = phase else { return nil }
        return PolicySubject.Start(
            date: attempt.since.wall, bytesDone: attempt.bytesAtStart, rate: attempt.rateAtStart,
            need: attempt.needAtStart)
    }
}

/// The time that a transfer has spent in its own waits that have ended.
package struct PastWaits: Hashable, Sendable {
    package var backoff: Duration = .zero
    package var storage: Duration = .zero
    package var suspended: Duration = .zero
    package var held: Duration = .zero
    package var needsApp: Duration = .zero
    /// The time under a relaunch delay that ended early.
    package var rateLimited: Duration = .zero
    /// The periods of these waits and of the attempts, as far as they are remembered. The periods may overlap each
    /// other, and other reasons.
    package private(set) var spans: [Span] = []
    /// The maximum number of remembered periods. Older periods are forgotten, and their durations are not.
    private static var mostSpans: Int { 32 }

    package struct Span: Hashable, Sendable {
        package var start: Instant
        package var end: Instant
        /// A Boolean value that indicates whether an attempt was under way.
        package var isRun: Bool

        package init(start: Instant, end: Instant, isRun: Bool) {
            self.start = start
            self.end = end
            self.isRun = isRun
        }
    }

    /// Remembers a period. If the limit is reached, the period replaces the oldest one.
    package mutating func record(_ span: Span) {
        guard span.start < span.end else { return }
        if spans.count >= Self.mostSpans { spans.removeFirst() }
        spans.append(span)
    }
}
