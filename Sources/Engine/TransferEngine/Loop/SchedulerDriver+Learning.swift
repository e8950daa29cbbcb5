// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
import TransferScheduling

extension SchedulerDriver {
    /// At least so long lies between two times that what was learned is saved because time has gone by.
    private static let learnedInterval: Duration = .seconds(15 * 60)

    /// Gives the scheduler what earlier runs learned, before it decides anything.
    ///
    /// Counting begins anew where that cannot be read: better than no transfers at all.
    ///
    /// - Throws: `TransferStoreError` where the store cannot be read at all.
    nonisolated(nonsending) func readLearned(from store: any TransferStore) async throws {
        do {
            guard let learned = try await store.learned() else { return }
            let now = alarm.now()
            scheduler = Scheduler(
                configuration: configuration, policy: policy, learned: learned, boot: alarm.boot, startingAt: now)
            learnedSaved = now.instant
        } catch let error as TransferStoreError where error.code == .corrupt {
            updates.continuation.yield(.storeTrouble(error))
        }
    }

    /// What was learned until now, to be saved; nothing where what is seen of the machine is not to be remembered.
    func learnedNow() -> [StoreChange] {
        guard savesLearned else { return [] }
        let now = alarm.now()
        learnedSaved = now.instant
        return [.learned(scheduler.learned(at: now, boot: alarm.boot))]
    }

    /// Saves what was learned, beside the inbox: nothing waits for it.
    func saveLearnedLater() { writer.commitLater(learnedNow()) }

    /// The same where that was not done for a while. Asked when something has woken the process anyway.
    func saveLearnedIfDue() {
        guard learnedSaved.duration(to: alarm.now().instant) >= Self.learnedInterval else { return }
        saveLearnedLater()
    }
}
