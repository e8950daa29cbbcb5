// SPDX-License-Identifier: Apache-2.0
public import TransferModel

extension ConnectionConstraint {
    /// Returns permission to run if the transfer may use the current connection; otherwise, the wait reasons.
    ///
    /// If no network is available, `LinkKindConstraint` gives the reason to wait.
    public func verdict(under conditions: Conditions) -> Verdict {
        guard !isAny, conditions.network.value != .none else { return .run(relyingOn: [], reevaluateAt: nil) }
        let name = conditions.connection.value
        var reasons: [WaitReason] = []
        if let name, denied.contains(name) {
            reasons.append(WaitReason(.connectionDenied(.denied(name)), from: conditions.connection))
        } else if let allowed, name.map(allowed.contains) != true {
            reasons.append(WaitReason(.connectionDenied(.notAllowed(name)), from: conditions.connection))
        }
        if !allowsRoaming, conditions.roaming.value == .yes {
            reasons.append(WaitReason(.connectionDenied(.roaming), from: conditions.roaming))
        }
        guard reasons.isEmpty else { return .wait(reasons, reevaluateAt: nil) }
        return .run(relyingOn: [.network, .connection], reevaluateAt: nil)
    }
}
