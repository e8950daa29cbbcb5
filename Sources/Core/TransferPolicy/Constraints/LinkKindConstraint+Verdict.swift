// SPDX-License-Identifier: Apache-2.0
public import TransferModel

extension LinkKindConstraint {
    /// Returns permission to run if a network of an allowed kind is available; otherwise, the wait reason.
    ///
    /// A network with limited or unknown reachability counts as available.
    public func verdict(under conditions: Conditions) -> Verdict {
        switch conditions.network.value {
        case .none: return .wait([WaitReason(.noNetwork, from: conditions.network)], reevaluateAt: nil)
        case .portal: return .wait([WaitReason(.captivePortal, from: conditions.network)], reevaluateAt: nil)
        case .limited, .full, .unknown: break
        }
        guard case .only(let kinds) = self, !kinds.contains(LinkKinds(conditions.linkKind.value)) else {
            return .run(relyingOn: .network, reevaluateAt: nil)
        }
        return .wait(
            [WaitReason(.networkKind(conditions.linkKind.value, allowed: kinds), from: conditions.linkKind)],
            reevaluateAt: nil)
    }
}
