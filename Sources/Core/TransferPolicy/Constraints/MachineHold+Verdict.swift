// SPDX-License-Identifier: Apache-2.0
public import TransferModel

extension MachineHold {
    /// Returns a wait reason for every transfer while a user or a program holds all transfers.
    public static func verdict(under conditions: Conditions) -> Verdict {
        guard let hold = conditions.hold.value else { return .run(relyingOn: [], reevaluateAt: nil) }
        return .wait([WaitReason(.held(by: hold.holder, why: hold.why), from: conditions.hold)], reevaluateAt: nil)
    }
}
