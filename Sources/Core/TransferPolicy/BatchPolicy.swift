// SPDX-License-Identifier: Apache-2.0

/// Holds work until some of it is due or the radio is awake anyway, then lets all of it go at once.
///
/// The radio counts as awake while any transfer runs, and for ρ × T after the last one. What has waited for the longest
/// hold is due as well. Source: TailEnder, Balasubramanian, Balasubramanian, Venkataramani, "Energy Consumption in
/// Mobile Phones", IMC 2009, with its ρ of 0.6; T is the time a radio stays awake after a transfer.
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
        let ownDeadline = subject.traits.constraints.deadline?.date
        let dates = [
            subject.begin.advanced(by: longest), context.queue.firstDeadline, ownDeadline,
            ownDeadline.flatMap { subject.latestStart(before: $0, safety: 1, assumedRate: 625_000) },
        ].compactMap(\.self)
        guard dates.allSatisfy({ $0 > context.now.wall }) else { return .run(relyingOn: [], lookAgain: nil) }
        let seconds = Double(tail.wholeNanoseconds) / 1e9 * min(max(0, rho), 1)
        if let last = context.queue.lastActivity,
            let end = context.look(at: last.advanced(by: Duration(clampingSeconds: seconds)))
        {
            return .run(relyingOn: [], lookAgain: end)
        }
        let hold = Hold(.held(by: "the policy batch", why: "it goes together with others"), since: context.now)
        return .hold([hold], lookAgain: context.look(at: dates.min()))
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
