// SPDX-License-Identifier: Apache-2.0
public import TransferModel

extension MachineHold {
    /// Returns a wait reason for every transfer while a person or a program holds everything back.
    public static func verdict(under conditions: Conditions) -> Verdict {
        guard let hold = conditions.hold.value else { return .run(relyingOn: [], lookAgain: nil) }
        return .hold([Hold(.held(by: hold.holder, why: hold.why), from: conditions.hold)], lookAgain: nil)
    }
}
