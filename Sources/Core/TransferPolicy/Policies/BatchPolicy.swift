// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// A policy that collects work until some of it is due or the radio is awake anyway, then runs all of it together.
///
/// The radio counts as awake while any transfer runs, and for ρ × T after the last transfer. T is the time for which
/// a radio stays awake after a transfer. Work is also due when it has waited for ``longest``.
///
/// ```swift
/// BatchPolicy(rho: 0.8)  // "batch:rho=0.8" in the catalog
/// ```
///
/// Source: TailEnder, Balasubramanian, Balasubramanian, Venkataramani, "Energy Consumption in Mobile Phones: A
/// Measurement Study and Implications for Network Applications", IMC 2009. Transfers are delayed until a deadline so
/// that they share a tail, within twice the minimum energy (from its abstract). Not checked against the source: its ρ
/// of about 0.6, and T.
public struct BatchPolicy: Policy, Hashable {
    /// The time for which the radio stays awake after a transfer (T). The default is 15 s.
    public var tail: Duration
    /// The fraction of ``tail`` in which another transfer may still join (ρ), 0…1. The default is 0.6.
    public var rho: Double
    /// The maximum wait of work without a near deadline. The default is 1 h.
    public var longest: Duration

    /// Creates a policy from its settings. The properties document their defaults.
    public init(tail: Duration = .seconds(15), rho: Double = 0.6, longest: Duration = .seconds(3600)) {
        self.tail = tail
        self.rho = rho
        self.longest = longest
    }

    /// Returns permission to run if the radio is awake or any work is due; otherwise, a wait until the earliest due
    /// date.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        guard !subject.isRunning, context.queue.runningCount == 0 else { return .run(relyingOn: [], reevaluateAt: nil) }
        let dates = [due(subject), context.queue.firstDeadline].compactMap(\.self)
        guard dates.allSatisfy({ $0 > context.now.wall }) else { return .run(relyingOn: [], reevaluateAt: nil) }
        if let end = radioEnd(in: context) { return .run(relyingOn: [], reevaluateAt: end) }
        return .wait([Self.wait(in: context)], reevaluateAt: context.reevaluation(at: dates.min()))
    }

    private static func wait(in context: PolicyContext) -> WaitReason {
        WaitReason(.held(by: "the batch policy", why: "waits to run together with other transfers"), since: context.now)
    }

    /// Returns the date on which a transfer has waited for ``longest``, or must start because of its own deadline.
    private func due(_ subject: PolicySubject) -> WallTime {
        let longest = subject.begin.advanced(by: longest)
        guard let deadline = subject.traits.constraints.deadline?.date else { return longest }
        let latest = subject.latestStart(before: deadline, safety: 1, assumedRate: 625_000) ?? deadline
        return min(longest, deadline, latest)
    }

    /// Returns the end of the time in which a transfer may join the last one, or `nil` if that time has ended.
    private func radioEnd(in context: PolicyContext) -> Instant? {
        let seconds = Double(tail.wholeNanoseconds) / 1e9 * min(max(0, rho), 1)
        return context.queue.lastActivity.flatMap {
            context.reevaluation(at: $0.advanced(by: Duration(clampingSeconds: seconds)))
        }
    }

    static let entry = PolicyCatalog.Entry(
        name: "batch", summary: "waits until any queued transfer is due or another transfer runs, then runs all",
        parameters: [
            .init("t", "time for which the radio stays awake after a transfer", unit: "s", default: 15, in: 0...3600),
            .init("rho", "share of that time in which another transfer may join", default: 0.6, in: 0...1),
            .init("longest", "maximum wait", unit: "s", default: 3600, in: 0...604_800),
        ]
    ) {
        BatchPolicy(
            tail: Duration(clampingSeconds: $0["t"]), rho: $0["rho"],
            longest: Duration(clampingSeconds: $0["longest"]))
    }
}

/// Two relaxation phases: before and after a transfer's own due date. The policy state indicates whether other work
/// lets the transfer run.
extension BatchPolicy: PhasedPolicy {
    /// The value is `true`, because other transfers' deadlines and activity decide.
    public var stateFollowsQueue: Bool { true }

    /// Returns two: before and after the due date.
    public func phaseCount(withDeadline hasDeadline: Bool) -> Int { 2 }

    /// Returns phase 1 if `subject` is due, or phase 0 until its due date.
    public func phase(of subject: PolicySubject, at now: WallTime) -> RelaxationPhase {
        let due = due(subject)
        return due <= now ? RelaxationPhase(1) : RelaxationPhase(0, until: due)
    }

    /// Returns permission to run if the transfer is due, the radio is awake, or another deadline has come; otherwise, a
    /// wait.
    public func verdict(atPhase phase: Int, for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        let mayRun = phase > 0 || stateKey(in: context).key == 1
        return mayRun ? .run(relyingOn: [], reevaluateAt: nil) : .wait([Self.wait(in: context)], reevaluateAt: nil)
    }

    /// Returns state 1 while a transfer runs or has just run, or after a queued deadline has come.
    public func stateKey(in context: PolicyContext) -> PolicyStateKey {
        let (queue, now) = (context.queue, context.now)
        if queue.runningCount != 0 || queue.firstDeadline.map({ $0 <= now.wall }) == true { return PolicyStateKey(1) }
        if let end = radioEnd(in: context) { return PolicyStateKey(1, until: end) }
        return PolicyStateKey(until: context.reevaluation(at: queue.firstDeadline))
    }
}
