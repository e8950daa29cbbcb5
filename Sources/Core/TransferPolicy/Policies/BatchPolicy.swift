// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// Holds work until some of it is due or the radio is awake anyway, then lets all of it go at once.
///
/// The radio counts as awake while any transfer runs, and for ρ × T after the last one. What has waited for the longest
/// hold is due as well. T is the time a radio stays awake after a transfer.
///
/// Source: TailEnder, Balasubramanian, Balasubramanian, Venkataramani, "Energy Consumption in Mobile Phones: A
/// Measurement Study and Implications for Network Applications", IMC 2009: transfers are put off until a deadline so that
/// they share a tail, within twice the least energy (its abstract). Not checked against the source: its ρ of about 0.6,
/// and T.
public struct BatchPolicy: Policy, Hashable {
    /// How long the radio stays awake after a transfer. Default 15 s.
    public var tail: Duration
    /// The part of that in which another transfer may still join, 0…1. Default 0.6.
    public var rho: Double
    /// How long work without a near deadline is held at most. Default 1 h.
    public var longest: Duration

    /// The rule.
    public init(tail: Duration = .seconds(15), rho: Double = 0.6, longest: Duration = .seconds(3600)) {
        self.tail = tail
        self.rho = rho
        self.longest = longest
    }

    /// Says whether something is due or the radio awake.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        guard !subject.isRunning, context.queue.runningCount == 0 else { return .run(relyingOn: [], lookAgain: nil) }
        let dates = [due(subject), context.queue.firstDeadline].compactMap(\.self)
        guard dates.allSatisfy({ $0 > context.now.wall }) else { return .run(relyingOn: [], lookAgain: nil) }
        if let end = radioEnd(in: context) { return .run(relyingOn: [], lookAgain: end) }
        return .hold([Self.hold(in: context)], lookAgain: context.look(at: dates.min()))
    }

    private static func hold(in context: PolicyContext) -> Hold {
        Hold(.held(by: "the policy batch", why: "it goes together with others"), since: context.now)
    }

    /// From when on a transfer has waited long enough, or its own deadline is near.
    private func due(_ subject: PolicySubject) -> WallTime {
        let longest = subject.begin.advanced(by: longest)
        guard let deadline = subject.traits.constraints.deadline?.date else { return longest }
        let latest = subject.latestStart(before: deadline, safety: 1, assumedRate: 625_000) ?? deadline
        return min(longest, deadline, latest)
    }

    /// Until when another transfer may still join the last one; nil where that is over.
    private func radioEnd(in context: PolicyContext) -> Instant? {
        let seconds = Double(tail.wholeNanoseconds) / 1e9 * min(max(0, rho), 1)
        return context.queue.lastActivity.flatMap {
            context.look(at: $0.advanced(by: Duration(clampingSeconds: seconds)))
        }
    }

    static let entry = PolicyCatalog.Entry(
        name: "batch", summary: "held until some of the queue is due or a transfer runs anyway, then all at once",
        parameters: [
            .init("t", "how long the radio stays awake after a transfer", unit: "s", default: 15, in: 0...3600),
            .init("rho", "part of that in which another transfer may join", default: 0.6, in: 0...1),
            .init("longest", "how long work is held at most", unit: "s", default: 3600, in: 0...604_800),
        ]
    ) {
        BatchPolicy(
            tail: Duration(clampingSeconds: $0["t"]), rho: $0["rho"],
            longest: Duration(clampingSeconds: $0["longest"]))
    }
}

/// Two stages: before a transfer itself is due, and from then on. The mood is whether something else lets it go.
extension BatchPolicy: StagedPolicy {
    /// Deadlines of others, and what runs or ran last.
    public var moodFollowsQueue: Bool { true }

    /// How many stages it knows.
    public func stageCount(withDeadline hasDeadline: Bool) -> Int { 2 }

    /// Whether the transfer itself is due.
    public func stage(of subject: PolicySubject, at now: WallTime) -> PolicyStage {
        let due = due(subject)
        return due <= now ? PolicyStage(1) : PolicyStage(0, until: due)
    }

    /// Says whether something is due or the radio awake.
    public func verdict(atStage stage: Int, for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        let goes = stage > 0 || mood(in: context).key == 1
        return goes ? .run(relyingOn: [], lookAgain: nil) : .hold([Self.hold(in: context)], lookAgain: nil)
    }

    /// Whether a transfer runs, or did just now, or some deadline has come.
    public func mood(in context: PolicyContext) -> PolicyMood {
        let (queue, now) = (context.queue, context.now)
        if queue.runningCount != 0 || queue.firstDeadline.map({ $0 <= now.wall }) == true { return PolicyMood(1) }
        if let end = radioEnd(in: context) { return PolicyMood(1, until: end) }
        return PolicyMood(until: context.look(at: queue.firstDeadline))
    }
}
