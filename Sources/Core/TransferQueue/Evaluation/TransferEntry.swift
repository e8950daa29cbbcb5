// SPDX-License-Identifier: Apache-2.0
package import TransferModel
package import TransferPolicy

/// All that the scheduler keeps of one transfer.
package struct TransferEntry: Hashable, Sendable {
    package var traits: TransferTraits
    package var phase: TransferPhase
    /// Bytes there.
    package var bytes: Int64 = 0
    /// The size where the server told it.
    package var total: Int64?
    /// The rate seen last, smoothed, in bytes a second.
    package var rate: Int64?
    /// The most bytes that any attempt had.
    package var mostBytes: Int64 = 0
    /// Failed attempts since the last progress.
    package var failures = 0
    /// How often the finished body had the wrong checksum.
    package var checksumFailures = 0
    /// How long attempts and the waits after them have gone on without one new byte.
    package var barren: Duration = .zero
    /// What few transfers have: at most one, in an array as the smallest box that is copied as a value.
    private var rare: [Rare] = []

    /// What few transfers have.
    private struct Rare: Hashable, Sendable {
        var relaunchDelay: RelaunchDelay?
        var held: Held?
        var need: Need?
        var past: PastWaits?
    }

    package init(traits: consuming TransferTraits, phase: TransferPhase) {
        self.traits = traits
        self.phase = phase
    }

    /// Whether it has none of what few transfers have.
    package var isOrdinary: Bool { rare.isEmpty }

    /// What its app's relaunch limiter gave it; nil where it is not held, or no longer.
    package var relaunchDelay: RelaunchDelay? {
        get { rare.first?.relaunchDelay }
        set { setRare(\.relaunchDelay, newValue) }
    }
    /// Who holds it back for a reason of their own.
    package var held: Held? {
        get { rare.first?.held }
        set { setRare(\.held, newValue) }
    }
    /// What its app has to do first.
    package var need: Need? {
        get { rare.first?.need }
        set { setRare(\.need, newValue) }
    }
    /// How long it waited for what is over: attempts' failures, pauses, holds.
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

    /// A delay as the relaunch limiter gave it.
    package struct RelaunchDelay: Hashable, Sendable {
        package var hold: RelaunchLimiter.Hold
        package var release: Instant
        package var delay: Duration
        package var relaunches: Int
        package var since: Moment

        package init(
            hold: RelaunchLimiter.Hold, release: Instant, delay: Duration, relaunches: Int, since: Moment
        ) {
            self.hold = hold
            self.release = release
            self.delay = delay
            self.relaunches = relaunches
            self.since = since
        }
    }

    /// A hold by somebody.
    package struct Held: Hashable, Sendable {
        package var by: String
        package var why: String
        package var since: Moment

        package init(by: String, why: String, since: Moment) {
            self.by = by
            self.why = why
            self.since = since
        }
    }

    /// Something that the app has to do.
    package struct Need: Hashable, Sendable {
        package var need: AppNeed
        package var since: Moment

        package init(need: AppNeed, since: Moment) {
            self.need = need
            self.since = since
        }
    }

    /// What a policy sees of it.
    package var subject: PolicySubject {
        PolicySubject(
            traits: traits, isRunning: phase.holdsSlot, bytesDone: bytes,
            bytesTotal: total ?? traits.expectedBytesToReceive, rate: rate, start: start)
    }

    /// Bytes still missing; nil while the size is unknown.
    package var bytesRemaining: Int64? {
        (total ?? traits.expectedBytesToReceive).map { max(0, $0.addingSaturating(-max(0, bytes))) }
    }

    /// Whether sleep and outages hold its start up for a random while.
    package var isGated: Bool { StaggeredStart.applies(to: traits.kind, isLoopback: traits.isLoopback) }

    private var start: PolicySubject.Start? {
        guard case .running(let attempt) = phase else { return nil }
        return PolicySubject.Start(
            date: attempt.since.wall, bytesDone: attempt.bytesAtStart, rate: attempt.rateAtStart)
    }
}

/// How long a transfer waited for reasons of its own that are over.
package struct PastWaits: Hashable, Sendable {
    package var backoff: Duration = .zero
    package var storage: Duration = .zero
    package var suspended: Duration = .zero
    package var held: Duration = .zero
    package var needsApp: Duration = .zero
    /// For a relaunch delay that ended early.
    package var rateLimited: Duration = .zero
    /// When these were, as far as they are remembered, and when it ran: they overlap one another, and other reasons.
    package private(set) var spans: [Span] = []
    /// More of them than this are forgotten; their times are not.
    private static var mostSpans: Int { 32 }

    package struct Span: Hashable, Sendable {
        package var start: Instant
        package var end: Instant
        /// Whether an attempt was under way.
        package var isRun: Bool

        package init(start: Instant, end: Instant, isRun: Bool) {
            self.start = start
            self.end = end
            self.isRun = isRun
        }
    }

    /// Remembers a span in place of the oldest.
    package mutating func note(_ span: Span) {
        guard span.start < span.end else { return }
        if spans.count >= Self.mostSpans { spans.removeFirst() }
        spans.append(span)
    }
}
