// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// Which facts a permission to run stands on: they must have settled, and losing them stops the transfer.
public struct RelevantFacts: OptionSet, Hashable, Sendable {
    /// One bit a group of facts.
    public let rawValue: UInt8

    /// A set from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// What the machine runs on.
    public static let power = RelevantFacts(rawValue: 1)
    /// The network, its kind and its price.
    public static let network = RelevantFacts(rawValue: 2)
    /// Which connection it is, and whether it roams.
    public static let connection = RelevantFacts(rawValue: 4)
}

/// What a constraint or a policy says of one transfer at one moment.
public enum Verdict: Hashable, Sendable {
    /// It may run, and this stands on `relyingOn`. Where time alone will change the answer: look again then.
    case run(relyingOn: RelevantFacts, lookAgain: Instant?)
    /// It waits, for all of these reasons. Where time alone may change the answer: look again then.
    case hold([Hold], lookAgain: Instant?)

    /// What leave to run stands on; nil for a hold.
    public var facts: RelevantFacts? {
        guard case .run(let facts, _) = self else { return nil }
        return facts
    }

    /// What both say together: all the holds of either, and the earlier look.
    public func and(_ other: Verdict) -> Verdict {
        switch (self, other) {
        case (.run(let left, let leftLook), .run(let right, let rightLook)):
            .run(relyingOn: left.union(right), lookAgain: Self.earlier(leftLook, rightLook))
        case (.hold(let left, let leftLook), .hold(let right, let rightLook)):
            // The constraint and the policy may name the same reason: once is enough.
            .hold(left + right.filter { !left.contains($0) }, lookAgain: Self.earlier(leftLook, rightLook))
        case (.hold(let holds, let holdLook), .run(_, let runLook)),
            (.run(_, let runLook), .hold(let holds, let holdLook)):
            .hold(holds, lookAgain: Self.earlier(holdLook, runLook))
        }
    }

    /// The earlier of two moments that may be missing.
    @inlinable
    public static func earlier(_ left: Instant?, _ right: Instant?) -> Instant? {
        guard let left else { return right }
        guard let right else { return left }
        return min(left, right)
    }
}
