// SPDX-License-Identifier: Apache-2.0
public import TransferModel

extension MeteredConstraint {
    /// Says whether the network's price is right. No network at all has no price: that hold is another constraint's.
    public func verdict(under conditions: Conditions, treatingUnknownAs rule: UnknownMeteredRule) -> Verdict {
        guard self == .unmetered, conditions.network.value != .none else { return .run(relyingOn: [], lookAgain: nil) }
        guard let isGuess = rule.isMetered(conditions) else { return .run(relyingOn: .network, lookAgain: nil) }
        return .hold([Hold(.metered(isGuess: isGuess), from: conditions.metered)], lookAgain: nil)
    }
}
