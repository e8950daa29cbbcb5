// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// The groups of facts that permission to run depends on.
///
/// A transfer starts only after these facts pass the debounce. A running transfer stops if one of these facts is
/// lost.
///
/// ```swift
/// let verdict = Verdict.run(relyingOn: [.power, .network], reevaluateAt: nil)
/// ```
public struct RelevantFacts: OptionSet, Hashable, Sendable {
    /// The raw bits, one for each group of facts.
    public let rawValue: UInt8

    /// Creates a set from its raw bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The power source of the machine.
    public static let power = RelevantFacts(rawValue: 1)
    /// The network's reachability, link kind, and price.
    public static let network = RelevantFacts(rawValue: 2)
    /// The name of the connection, and whether the connection is roaming.
    public static let connection = RelevantFacts(rawValue: 4)
}

/// The decision of a constraint or a policy about one transfer at one moment.
///
/// In both cases, `reevaluateAt` is the moment of the next re-evaluation. The moment is `nil` if time alone cannot
/// change the decision. A moment that has passed wakes the engine again at once, as long as the verdict names it.
public enum Verdict: Hashable, Sendable {
    /// The transfer may run. The permission depends on the facts in `relyingOn`: after one of them has changed, a start
    /// waits for its debounce.
    case run(relyingOn: RelevantFacts = [], reevaluateAt: Instant? = nil)
    /// The transfer waits for every reason in the list. The list must not be empty: with an empty list, the transfer
    /// waits without a reason that a user could see.
    case wait([WaitReason], reevaluateAt: Instant? = nil)

    /// The facts that permission to run depends on, or `nil` if the transfer waits.
    public var facts: RelevantFacts? {
        guard case .run(let facts, _) = self else { return nil }
        return facts
    }

    /// Returns the conjunction of two verdicts: the wait reasons of both, and the earlier re-evaluation.
    public func and(_ other: Verdict) -> Verdict {
        switch (self, other) {
        case (.run(let left, let leftReevaluation), .run(let right, let rightReevaluation)):
            .run(relyingOn: left.union(right), reevaluateAt: Self.earlier(leftReevaluation, rightReevaluation))
        case (.wait(let left, let leftReevaluation), .wait(let right, let rightReevaluation)):
            /// A constraint and the policy can give the same reason. The list contains the reason once.
            .wait(
                left + right.filter { !left.contains($0) },
                reevaluateAt: Self.earlier(leftReevaluation, rightReevaluation))
        case (.wait(let reasons, let waitReevaluation), .run(_, let runReevaluation)),
            (.run(_, let runReevaluation), .wait(let reasons, let waitReevaluation)):
            .wait(reasons, reevaluateAt: Self.earlier(waitReevaluation, runReevaluation))
        }
    }

    /// Returns the earlier of two optional instants, or `nil` if both are `nil`.
    @inlinable
    public static func earlier(_ left: Instant?, _ right: Instant?) -> Instant? {
        guard let left else { return right }
        guard let right else { return left }
        return min(left, right)
    }
}
