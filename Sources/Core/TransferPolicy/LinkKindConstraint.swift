// SPDX-License-Identifier: Apache-2.0

/// What kinds of link a transfer may use. Asking for any still asks for a network.
public enum LinkKindConstraint: Hashable, Sendable, Codable {
    /// Any network.
    case any
    /// One of these kinds.
    case only(LinkKinds)

    /// Says whether there is a network of an allowed kind. An unknown or limited network is tried.
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
