// SPDX-License-Identifier: Apache-2.0
public import TransferModel

extension SleepState {
    /// Returns a wait reason for every transfer while the machine is about to sleep or shut down.
    ///
    /// A transfer that started now could not end in an orderly way.
    public static func verdict(under conditions: Conditions) -> Verdict {
        switch conditions.sleep.value {
        case .awake: .run(relyingOn: [], lookAgain: nil)
        case .aboutToSleep: .hold([Hold(.aboutToSleep, from: conditions.sleep)], lookAgain: nil)
        case .aboutToShutDown: .hold([Hold(.aboutToShutDown, from: conditions.sleep)], lookAgain: nil)
        }
    }
}
