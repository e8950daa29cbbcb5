// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
public import TransferPolicy

/// A policy that knows power and network some hours ahead, and accepts expensive conditions only if cheaper
/// conditions will not suffice in time.
///
/// While a deadline is beyond the horizon, the transfer waits for AC power and an unmetered network. After that, the
/// transfer waits while the cheaper times before the deadline can carry everything in the queue, and runs otherwise.
///
/// The policy does not know future submissions, and it counts bytes that are due later as due now. The policy is
/// therefore not a bound, as the optimum is, but shows the value of a forecast. With a horizon of zero, the policy
/// equals `strict`.
///
/// ```swift
/// let policy = LookaheadPolicy(horizon: .seconds(6 * 3600), trace: trace, settings: ReplaySettings())
/// ```
public struct LookaheadPolicy: Policy {
    /// The time for which the policy knows the future.
    public let horizon: Duration
    private let capacity: CapacityAhead
    private let settings: ReplaySettings

    /// Creates a policy with a forecast from a device's recorded days. A negative horizon counts as zero.
    public init(horizon: Duration, trace: Trace, settings: ReplaySettings) {
        self.horizon = max(.zero, horizon)
        self.settings = settings
        capacity = CapacityAhead(trace, settings)
    }

    /// Returns a verdict to run if conditions are good, or if better conditions will not suffice before the deadline.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        let meteredVerdict = subject.unmeteredVerdict(
            under: context.conditions, treatingUnknownAs: UnknownMeteredRule())
        let strict = PowerConstraint.ac.verdict(under: context.conditions).and(meteredVerdict)
        guard case .wait = strict, let deadline = subject.traits.constraints.deadline?.date,
            deadline > context.now.wall
        else { return strict }
        let visible = deadline.advanced(by: .zero - horizon)
        guard visible <= context.now.wall else {
            return strict.and(.run(relyingOn: [], reevaluateAt: context.reevaluation(at: visible)))
        }
        let isMetered: Bool
        if case .wait = meteredVerdict { isMetered = true } else { isMetered = false }
        let present = CostClass(isOnAC: context.conditions.power.value == .ac, isMetered: isMetered)
        let need = Double(max(subject.bytesRemaining ?? 0, context.queue.discretionaryBytes))
        let excess = need - capacity.bytes(cheaperThan: present, from: context.now.wall, to: deadline)
        guard excess > 0 else { return strict }
        // Once the queue has shrunk by the excess, the cheaper times suffice.
        let rate = Double(max(1, capacity.rate(at: context.now.wall)))
        let seconds = min(excess / rate, 1e8)
        let reevaluation = context.now.instant.advanced(by: .nanoseconds(Int64(seconds * 1e9) + 1))
        return .run(relyingOn: [], reevaluateAt: reevaluation)
    }

    /// Returns the catalog entry with the policy's parameter. Without a trace, the entry makes a `StrictPolicy`.
    static func entry(_ trace: Trace?, _ settings: ReplaySettings) -> PolicyCatalog.Entry {
        PolicyCatalog.Entry(
            name: "lookahead",
            summary: "knows power and network h hours ahead; uses expensive times only if cheaper ones do not suffice",
            parameters: [.init("h", "the horizon of the forecast", unit: "hours", default: 24, in: 0...100_000)]
        ) { values in
            guard let trace else { return StrictPolicy() }
            return LookaheadPolicy(
                horizon: .nanoseconds(Int64(values["h"] * 3600e9)), trace: trace, settings: settings)
        }
    }
}

/// The number of bytes that the times of each class can carry between two moments.
private struct CapacityAhead: Sendable {
    private let segments: [Trace.Segment]
    /// The bytes up to the start of each segment, by class.
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

    /// Returns the network's rate at a moment, in bytes per second.
    func rate(at date: WallTime) -> Int64 {
        segments[segmentIndex(of: date)].costClass == nil ? 0 : rate(of: segmentIndex(of: date))
    }

    /// Returns the bytes that the times of all cheaper classes carry.
    func bytes(cheaperThan costClass: CostClass, from start: WallTime, to end: WallTime) -> Double {
        let limit = settings.cost(of: costClass)
        return CostClass.allCases.reduce(0) { total, other in
            guard settings.cost(of: other) < limit else { return total }
            return total + sum(other, until: end) - sum(other, until: start)
        }
    }

    private func rate(of segmentIndex: Int) -> Int64 { settings.rate(of: segments[segmentIndex]) }

    private func sum(_ costClass: CostClass, until date: WallTime) -> Double {
        let segmentIndex = segmentIndex(of: date)
        let (segment, before) = (segments[segmentIndex], sums[costClass.rawValue][segmentIndex])
        guard segment.costClass == costClass, segment.start < date else { return before }
        return before + Double(rate(of: segmentIndex)) * segment.start.duration(to: min(date, segment.end)).labSeconds
    }

    /// Returns the index of the last segment that begins at or before a moment. Returns the first index for a moment
    /// before the trace.
    private func segmentIndex(of date: WallTime) -> Int {
        var (low, high) = (0, segments.count)
        while low < high {
            let middle = (low + high) / 2
            if segments[middle].start <= date { low = middle + 1 } else { high = middle }
        }
        return max(0, low - 1)
    }
}
