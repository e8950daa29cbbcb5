// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
import TransferScheduling

extension SchedulerDriver {
    /// The minimum interval between two periodic saves of the statistics.
    private static let learnedInterval: Duration = .seconds(15 * 60)

    /// Passes the statistics of earlier runs to the scheduler, before the scheduler decides anything.
    ///
    /// If the statistics cannot be read, they begin anew, because an engine without statistics is better than no
    /// engine.
    ///
    /// - Throws: `TransferStoreError` if the store cannot be read at all.
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

    /// Returns the change that saves the current statistics. Empty if observations of the machine are not to be
    /// saved.
    func learnedNow() -> [StoreChange] {
        guard savesLearned else { return [] }
        let now = alarm.now()
        learnedSaved = now.instant
        return [.learned(scheduler.learned(at: now, boot: alarm.boot))]
    }

    /// Saves the statistics in the background. Nothing waits for the save.
    func saveLearnedLater() { writer.commitLater(learnedNow()) }

    /// Saves the statistics if the last save is long enough ago. Called only when another event has woken the
    /// process.
    func saveLearnedIfDue() {
        guard learnedSaved.duration(to: alarm.now().instant) >= Self.learnedInterval else { return }
        saveLearnedLater()
    }
}
