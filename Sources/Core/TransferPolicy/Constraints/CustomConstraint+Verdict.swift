// SPDX-License-Identifier: Apache-2.0
public import TransferModel

extension CustomConstraint {
    /// Returns permission to run if the condition has a permitted value; otherwise, the wait reason. The source of the
    /// condition has already debounced it.
    public func verdict(under conditions: Conditions) -> Verdict {
        guard let condition = conditions.custom.first(where: { $0.name == name }) else {
            let missing = WaitReason(
                .custom(self, value: nil, sentence: "no condition '\(name)' is defined"), since: conditions.sleep.since)
            return .wait([missing], reevaluateAt: nil)
        }
        if let value = condition.fact.value, values.contains(value) { return .run(relyingOn: [], reevaluateAt: nil) }
        let reason = Reason.custom(self, value: condition.fact.value, sentence: condition.sentence)
        return .wait([WaitReason(reason, from: condition.fact)], reevaluateAt: nil)
    }
}

extension [CustomConstraint] {
    /// Returns permission to run if all conditions have permitted values; otherwise, the wait reasons.
    package func verdict(under conditions: Conditions) -> Verdict {
        reduce(.run(relyingOn: [], reevaluateAt: nil)) { $0.and($1.verdict(under: conditions)) }
    }
}
