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

/// A reason why a transfer may not use a connection.
public enum ConnectionDenial: Hashable, Sendable {
    /// The connection is on the list of denied connections. The value is its name.
    case denied(String)
    /// The connection is not on the list of allowed connections. The value is its name, or `nil` if the name is
    /// unknown.
    case notAllowed(String?)
    /// The connection is roaming on a foreign mobile network.
    case roaming
}

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

extension MeteredConstraint {
    /// Returns permission to run if the network's price satisfies the constraint; otherwise, the wait reason.
    ///
    /// A missing network has no price, and `LinkKindConstraint` gives the reason to wait.
    ///
    /// - Parameters:
    ///   - conditions: The conditions of the machine.
    ///   - rule: The rule for a link whose price no source reports.
    public func verdict(
        under conditions: Conditions, treatingUnknownAs rule: UnknownMeteredRule = UnknownMeteredRule()
    ) -> Verdict {
        guard self == .unmetered, conditions.network.value != .none else {
            return .run(relyingOn: [], reevaluateAt: nil)
        }
        guard let isGuess = rule.isMetered(conditions) else { return .run(relyingOn: .network, reevaluateAt: nil) }
        return .wait([WaitReason(.metered(isGuess: isGuess), from: conditions.metered)], reevaluateAt: nil)
    }
}

/// The rule for a link whose price no source reports.
///
/// ```swift
/// // Only Ethernet counts as unmetered if no source reports the price.
/// let cautious = UnknownMeteredRule(unmeteredKinds: [LinkKinds(.ethernet)])
/// ```
public struct UnknownMeteredRule: Hashable, Sendable {
    /// The kinds of links that count as unmetered unless a source reports otherwise. The default is Ethernet and
    /// Wi-Fi.
    public var unmeteredKinds: LinkKinds

    /// Creates a rule. By default, unknown Ethernet and Wi-Fi links count as unmetered.
    public init(unmeteredKinds: LinkKinds = [LinkKinds(.ethernet), LinkKinds(.wifi)]) {
        self.unmeteredKinds = unmeteredKinds
    }

    /// Returns `nil` if bytes are free; otherwise, whether the price is only a guess.
    public func isMetered(_ conditions: Conditions) -> Bool? {
        switch conditions.metered.value {
        case .yes: false
        case .guessYes: true
        case .no, .guessNo: nil
        case .unknown: unmeteredKinds.contains(LinkKinds(conditions.linkKind.value)) ? nil : true
        }
    }
}
