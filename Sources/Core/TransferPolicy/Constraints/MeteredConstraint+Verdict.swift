// SPDX-License-Identifier: Apache-2.0
public import TransferModel

extension MeteredConstraint {
    /// Returns permission to run if the network's price satisfies the constraint; otherwise, the wait reason.
    ///
    /// A missing network has no price, and `LinkKindConstraint` gives the reason to wait.
    ///
    /// - Parameters:
    ///   - conditions: The conditions of the machine.
    ///   - rule: The rule for a link whose price no source reports.
    public func verdict(under conditions: Conditions, treatingUnknownAs rule: UnknownMeteredRule) -> Verdict {
        guard self == .unmetered, conditions.network.value != .none else {
            return .run(relyingOn: [], reevaluateAt: nil)
        }
        guard let isGuess = rule.isMetered(conditions) else { return .run(relyingOn: .network, reevaluateAt: nil) }
        return .wait([WaitReason(.metered(isGuess: isGuess), from: conditions.metered)], reevaluateAt: nil)
    }
}
