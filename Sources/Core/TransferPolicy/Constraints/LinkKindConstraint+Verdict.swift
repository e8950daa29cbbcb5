// SPDX-License-Identifier: Apache-2.0
public import TransferModel

extension LinkKindConstraint {
    /// Returns whether a network of an allowed kind is available.
    ///
    /// A network with limited or unknown reachability counts as available.
    public func verdict(under conditions: Conditions) -> Verdict {
        switch conditions.network.value {
        case .none: return .hold([Hold(.noNetwork, from: conditions.network)], lookAgain: nil)
        case .portal: return .hold([Hold(.captivePortal, from: conditions.network)], lookAgain: nil)
        case .limited, .full, .unknown: break
        }
        guard case .only(let kinds) = self, !kinds.contains(LinkKinds(conditions.linkKind.value)) else {
            return .run(relyingOn: .network, lookAgain: nil)
        }
        return .hold(
            [Hold(.networkKind(conditions.linkKind.value, allowed: kinds), from: conditions.linkKind)], lookAgain: nil)
    }
}
