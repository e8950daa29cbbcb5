// SPDX-License-Identifier: Apache-2.0
public import TransferModel

extension MeteredConstraint {
    /// Returns whether the network's price satisfies the constraint.
    ///
    /// A missing network has no price, and `LinkKindConstraint` gives the reason to wait.
    ///
    /// - Parameters:
    ///   - conditions: The conditions of the machine.
    ///   - rule: The rule for a link whose price no source reports.
    public func verdict(under conditions: Conditions, treatingUnknownAs rule: UnknownMeteredRule) -> Verdict {
        guard self == .unmetered, conditions.network.value != .none else { return .run(relyingOn: [], lookAgain: nil) }
        guard let isGuess = rule.isMetered(conditions) else { return .run(relyingOn: .network, lookAgain: nil) }
        return .hold([Hold(.metered(isGuess: isGuess), from: conditions.metered)], lookAgain: nil)
    }
}
