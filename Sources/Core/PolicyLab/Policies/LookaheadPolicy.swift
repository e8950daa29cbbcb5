// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
public import TransferPolicy

/// Knows power and network for some hours ahead, and takes dear conditions only once it sees that cheaper ones will not do
/// in time.
///
/// While a deadline lies further ahead than it sees, the transfer waits for AC and a free network. From then on it waits
/// as long as the cheaper times that remain before the deadline carry all that is queued, and else runs. It does not
/// know what will be asked for, and counts what is due later as if it were due now: so it is no bound, as the optimum is,
/// but tells what a forecast would be worth. With nothing ahead in sight it is `strict`.
public struct LookaheadPolicy: Policy {
    /// How far it sees.
    public let horizon: Duration
    private let capacity: CapacityAhead
    private let settings: ReplaySettings

    /// A policy that knows a device's days.
    public init(horizon: Duration, trace: Trace, settings: ReplaySettings) {
        self.horizon = max(.zero, horizon)
        self.settings = settings
        capacity = CapacityAhead(trace, settings)
    }

    /// Says whether conditions are good, or better ones not in sight.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        let price = subject.unmeteredVerdict(under: context.conditions, treatingUnknownAs: UnknownMeteredRule())
        let strict = PowerConstraint.ac.verdict(under: context.conditions).and(price)
        guard case .hold = strict, let deadline = subject.traits.constraints.deadline?.date,
            deadline > context.now.wall
        else { return strict }
        let visible = deadline.advanced(by: .zero - horizon)
        guard visible <= context.now.wall else {
            return strict.and(.run(relyingOn: [], lookAgain: context.look(at: visible)))
        }
        let isMetered: Bool
        if case .hold = price { isMetered = true } else { isMetered = false }
        let present = CostClass(isOnAC: context.conditions.power.value == .ac, isMetered: isMetered)
        let need = Double(max(subject.bytesRemaining ?? 0, context.queue.discretionaryBytes))
        let excess = need - capacity.bytes(cheaperThan: present, from: context.now.wall, to: deadline)
        guard excess > 0 else { return strict }
        // Once so much less is queued the cheaper times will do.
        let rate = Double(max(1, capacity.rate(at: context.now.wall)))
        let seconds = min(excess / rate, 1e8)
        let look = context.now.instant.advanced(by: .nanoseconds(Int64(seconds * 1e9) + 1))
        return .run(relyingOn: [], lookAgain: look)
    }

    /// For the catalogue: its own parameter, to be made with a trace later.
    static func entry(_ trace: Trace?, _ settings: ReplaySettings) -> PolicyCatalog.Entry {
        PolicyCatalog.Entry(
            name: "lookahead",
            summary: "knows power and network h hours ahead; takes dear ones once no cheaper ones will do",
            parameters: [.init("h", "how far it sees", unit: "hours", default: 24, in: 0...100_000)]
        ) { values in
            guard let trace else { return StrictPolicy() }
            return LookaheadPolicy(
                horizon: .nanoseconds(Int64(values["h"] * 3600e9)), trace: trace, settings: settings)
        }
    }
}

/// How much can be moved in the times of each class, from one moment to another.
private struct CapacityAhead: Sendable {
    private let segments: [Trace.Segment]
    /// Bytes until the start of each segment, by class.
    private var sums: [[Double]]
    private let settings: ReplaySettings

    init(_ trace: Trace, _ settings: ReplaySettings) {
        segments = trace.segments
        self.settings = settings
        sums = CostClass.allCases.map { costClass in
            var total = 0.0
            return trace.segments.map { segment in
                defer {
                    if segment.costClass == costClass {
                        let rate = Double(settings.rate(of: segment))
                        total += rate * segment.start.duration(to: segment.end).labSeconds
                    }
                }
                return total
            }
        }
    }

    /// What the network carries at a moment, in bytes a second.
    func rate(at date: WallTime) -> Int64 { segments[place(of: date)].costClass == nil ? 0 : rate(of: place(of: date)) }

    /// What the times of all cheaper classes carry.
    func bytes(cheaperThan costClass: CostClass, from start: WallTime, to end: WallTime) -> Double {
        let limit = settings.cost(of: costClass)
        return CostClass.allCases.reduce(0) { total, other in
            guard settings.cost(of: other) < limit else { return total }
            return total + sum(other, until: end) - sum(other, until: start)
        }
    }

    private func rate(of place: Int) -> Int64 { settings.rate(of: segments[place]) }

    private func sum(_ costClass: CostClass, until date: WallTime) -> Double {
        let place = place(of: date)
        let (segment, before) = (segments[place], sums[costClass.rawValue][place])
        guard segment.costClass == costClass, segment.start < date else { return before }
        return before + Double(rate(of: place)) * segment.start.duration(to: min(date, segment.end)).labSeconds
    }

    /// The last segment that begins before a moment or at it; the first one before the trace.
    private func place(of date: WallTime) -> Int {
        var (low, high) = (0, segments.count)
        while low < high {
            let middle = (low + high) / 2
            if segments[middle].start <= date { low = middle + 1 } else { high = middle }
        }
        return max(0, low - 1)
    }
}
