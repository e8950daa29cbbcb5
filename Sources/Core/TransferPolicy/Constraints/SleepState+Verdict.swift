// SPDX-License-Identifier: Apache-2.0
public import TransferModel

extension SleepState {
    /// What it says to a transfer: nothing that begins or goes on now would be finished in order.
    public static func verdict(under conditions: Conditions) -> Verdict {
        switch conditions.sleep.value {
        case .awake: .run(relyingOn: [], lookAgain: nil)
        case .aboutToSleep: .hold([Hold(.aboutToSleep, from: conditions.sleep)], lookAgain: nil)
        case .aboutToShutDown: .hold([Hold(.aboutToShutDown, from: conditions.sleep)], lookAgain: nil)
        }
    }
}
