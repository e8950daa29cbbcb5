// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
import TransferScheduling

extension SchedulerDriver {
    /// The minimum interval between two periodic saves of the statistics.
    private static let statisticsInterval: Duration = .seconds(15 * 60)

    /// Passes the statistics of earlier runs to the scheduler, before the scheduler makes its first decision.
    ///
    /// If the statistics cannot be read, they start over, because an engine without statistics is better than no
    /// engine.
    ///
    /// - Throws: `TransferStoreError` if the store cannot be read at all.
    nonisolated(nonsending) func restoreStatistics(from store: any TransferStore) async throws {
        do {
            guard let statistics = try await store.statistics() else { return }
            let now = alarm.now()
            scheduler = Scheduler(
                configuration: configuration, policy: policy, statistics: statistics, boot: alarm.boot, startingAt: now)
            statisticsSaved = now.instant
            for (id, state) in statistics.reportedDeadlines { updates.restore(state, of: id) }
        } catch let error as TransferStoreError where error.code == .corrupt {
            updates.continuation.yield(.storeError(error))
        }
    }

    /// Returns the change that saves the current statistics. Empty if observations of the machine are not to be
    /// saved.
    func currentStatistics() -> [StoreChange] {
        guard savesStatistics else { return [] }
        let now = alarm.now()
        statisticsSaved = now.instant
        return [.statistics(scheduler.statistics(at: now, boot: alarm.boot))]
    }

    /// Saves the statistics in the background. Nothing waits for the save.
    func saveStatisticsLater() { writer.commitLater(currentStatistics()) }

    /// Saves the statistics if the last save is long enough ago. Called only when another event has woken the
    /// process.
    func saveStatisticsIfDue() {
        guard statisticsSaved.duration(to: alarm.now().instant) >= Self.statisticsInterval else { return }
        saveStatisticsLater()
    }
}
