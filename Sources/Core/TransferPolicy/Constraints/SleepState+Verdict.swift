// SPDX-License-Identifier: Apache-2.0
public import TransferModel

extension SleepState {
    /// Returns a wait reason for every transfer while the machine is about to sleep or shut down.
    ///
    /// A transfer that started now could not end in an orderly way.
    public static func verdict(under conditions: Conditions) -> Verdict {
        switch conditions.sleep.value {
        case .awake: .run(relyingOn: [], reevaluateAt: nil)
        case .aboutToSleep: .wait([WaitReason(.aboutToSleep, from: conditions.sleep)], reevaluateAt: nil)
        case .aboutToShutDown: .wait([WaitReason(.aboutToShutDown, from: conditions.sleep)], reevaluateAt: nil)
        }
    }
}
