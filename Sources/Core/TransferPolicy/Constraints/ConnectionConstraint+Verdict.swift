// SPDX-License-Identifier: Apache-2.0
public import TransferModel

extension ConnectionConstraint {
    /// Returns whether the transfer may use the current connection.
    ///
    /// Without a network there is no connection, and `LinkKindConstraint` gives the reason to wait.
    public func verdict(under conditions: Conditions) -> Verdict {
        guard !isAny, conditions.network.value != .none else { return .run(relyingOn: [], lookAgain: nil) }
        let name = conditions.connection.value
        var holds: [Hold] = []
        if let name, denied.contains(name) {
            holds.append(Hold(.connectionDenied(.denied(name)), from: conditions.connection))
        } else if let allowed, name.map(allowed.contains) != true {
            holds.append(Hold(.connectionDenied(.notAllowed(name)), from: conditions.connection))
        }
        if !allowsRoaming, conditions.roaming.value == .yes {
            holds.append(Hold(.connectionDenied(.roaming), from: conditions.roaming))
        }
        guard holds.isEmpty else { return .hold(holds, lookAgain: nil) }
        return .run(relyingOn: [.network, .connection], lookAgain: nil)
    }
}
