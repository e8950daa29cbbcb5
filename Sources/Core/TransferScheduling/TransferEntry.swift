// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy

/// All that the scheduler keeps of one transfer.
struct TransferEntry: Hashable, Sendable {
    var traits: TransferTraits
    var phase: TransferPhase
    /// Bytes there.
    var bytes: Int64 = 0
    /// The size where the server told it.
    var total: Int64?
    /// The rate seen last, smoothed, in bytes a second.
    var rate: Int64?
    /// The most bytes that any attempt had.
    var mostBytes: Int64 = 0
    /// Failed attempts since the last progress.
    var failures = 0
    /// How often the finished body had the wrong checksum.
    var checksumFailures = 0
    /// How long attempts and the waits after them have gone on without one new byte.
    var barren: Duration = .zero
    /// What few transfers have: at most one, in an array as the smallest box that is copied as a value.
    private var rare: [Rare] = []

    /// What few transfers have.
    private struct Rare: Hashable, Sendable {
        var relaunchDelay: RelaunchDelay?
        var held: Held?
        var need: Need?
        var past: PastWaits?
    }

    init(traits: TransferTraits, phase: TransferPhase) {
        self.traits = traits
        self.phase = phase
    }

    /// Whether it has none of what few transfers have.
    var isOrdinary: Bool { rare.isEmpty }

    /// What its app's relaunch limiter gave it; nil where it is not held, or no longer.
    var relaunchDelay: RelaunchDelay? {
        get { rare.first?.relaunchDelay }
        set { setRare(\.relaunchDelay, newValue) }
    }
    /// Who holds it back for a reason of their own.
    var held: Held? {
        get { rare.first?.held }
        set { setRare(\.held, newValue) }
    }
    /// What its app has to do first.
    var need: Need? {
        get { rare.first?.need }
        set { setRare(\.need, newValue) }
    }
    /// How long it waited for what is over: attempts' failures, pauses, holds.
    var past: PastWaits? {
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
    struct RelaunchDelay: Hashable, Sendable {
        var hold: RelaunchLimiter.Hold
        var release: Instant
        var delay: Duration
        var relaunches: Int
        var since: Moment
    }

    /// A hold by somebody.
    struct Held: Hashable, Sendable {
        var by: String
        var why: String
        var since: Moment
    }

    /// Something that the app has to do.
    struct Need: Hashable, Sendable {
        var need: AppNeed
        var since: Moment
    }

    /// What a policy sees of it.
    var subject: PolicySubject {
        PolicySubject(
            traits: traits, isRunning: phase.holdsSlot, bytesDone: bytes,
            bytesTotal: total ?? traits.expectedBytesToReceive, rate: rate, start: start)
    }

    /// Bytes still missing; nil while the size is unknown.
    var bytesRemaining: Int64? {
        (total ?? traits.expectedBytesToReceive).map { max(0, $0.addingSaturating(-max(0, bytes))) }
    }

    /// Whether sleep and outages hold its start up for a random while.
    var isGated: Bool { Drain.holdsUp(traits.kind, isLoopback: traits.isLoopback) }

    private var start: PolicySubject.Start? {
        guard case .running(let attempt) = phase else { return nil }
        return PolicySubject.Start(
            date: attempt.since.wall, bytesDone: attempt.bytesAtStart, rate: attempt.rateAtStart)
    }
}

/// How long a transfer waited for reasons of its own that are over.
struct PastWaits: Hashable, Sendable {
    var backoff: Duration = .zero
    var storage: Duration = .zero
    var suspended: Duration = .zero
    var held: Duration = .zero
    var needsApp: Duration = .zero
    /// For a relaunch delay that ended early.
    var rateLimited: Duration = .zero
    /// When these were, as far as they are remembered, and when it ran: they overlap one another, and other reasons.
    private(set) var spans: [Span] = []
    /// More of them than this are forgotten; their times are not.
    private static var mostSpans: Int { 32 }

    struct Span: Hashable, Sendable {
        var start: Instant
        var end: Instant
        /// Whether an attempt was under way.
        var isRun: Bool
    }

    /// Remembers a span in place of the oldest.
    mutating func note(_ span: Span) {
        guard span.start < span.end else { return }
        if spans.count >= Self.mostSpans { spans.removeFirst() }
        spans.append(span)
    }
}
