// SPDX-License-Identifier: Apache-2.0

/// Whether a transfer may cost money.
public enum MeteredConstraint: String, Hashable, Sendable, Codable {
    /// Nothing was said: it may, unless the policy for discretionary work says otherwise.
    case unstated
    /// It may: somebody said so, and a policy that keeps to free networks makes an exception for it.
    case allowed
    /// It may not.
    case unmetered

    /// Says whether the network's price is right. No network at all has no price: that hold is another constraint's.
    public func verdict(under conditions: Conditions, treatingUnknownAs rule: UnknownMeteredRule) -> Verdict {
        guard self == .unmetered, conditions.network.value != .none else { return .run(relyingOn: [], lookAgain: nil) }
        guard let isGuess = rule.isMetered(conditions) else { return .run(relyingOn: .network, lookAgain: nil) }
        return .hold([Hold(.metered(isGuess: isGuess), from: conditions.metered)], lookAgain: nil)
    }
}

/// What to make of a link whose price nobody knows.
public struct UnknownMeteredRule: Hashable, Sendable {
    /// The kinds of link that count as free when nobody says otherwise. Default: ethernet and Wi-Fi.
    public var freeKinds: LinkKinds

    /// A rule.
    public init(freeKinds: LinkKinds = [LinkKinds(.ethernet), LinkKinds(.wifi)]) { self.freeKinds = freeKinds }

    /// Nil when bytes are free; else whether that they cost is only a guess.
    public func isMetered(_ conditions: Conditions) -> Bool? {
        switch conditions.metered.value {
        case .yes: false
        case .guessYes: true
        case .no, .guessNo: nil
        case .unknown: freeKinds.contains(LinkKinds(conditions.linkKind.value)) ? nil : true
        }
    }
}
