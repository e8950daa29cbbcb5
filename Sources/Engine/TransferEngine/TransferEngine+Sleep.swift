// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferScheduling

/// Going to sleep, or down, with nothing lost.
///
/// The scheduler stops what runs as soon as it is announced, as it does for any condition; here the machine is told to go
/// ahead, once every attempt has ended and all of it is in the store.
extension TransferEngine {
    /// Takes note of what was announced.
    func noteSleep(_ sleep: Fact<SleepState>) {
        announcedSleep = sleep.value == .awake || sleep == answeredSleep ? nil : sleep
    }

    /// Lets the machine go ahead as soon as nothing would be lost; a store in trouble does not keep it awake.
    func letSleep() async {
        guard let announced = announcedSleep, scheduler.isIdle, turn.isEmpty else { return }
        await commit(learnedNow())
        await flush()
        (announcedSleep, answeredSleep) = (nil, announced)
        conditionSource.readyToSleep()
    }
}
