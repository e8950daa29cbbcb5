// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import FoundationNetworking

/// The `Progress` of a task behind Apple's API. Each event of the task updates the progress. The progress can cancel,
/// pause, and resume the task.
final class TaskProgress: Sendable {
    /// Serializes the changes of all tasks, because tasks of several sessions may have a common parent.
    private static let lock = NSRecursiveLock()

    let progress: Progress
    private let task: BackgroundTask

    /// Creates the progress of a task. `object` represents the task in Apple's API.
    init(_ task: BackgroundTask, of object: URLSessionTask) {
        self.task = task
        progress = Progress.discreteProgress(totalUnitCount: -1)
        progress.isCancellable = true
        progress.isPausable = true
        progress.kind = .file
        progress.cancellationHandler = { [weak task] in task?.cancel() }
        progress.pausingHandler = { [weak task] in task?.suspend() }
        progress.resumingHandler = { [weak task] in task?.resume() }
        update()
        task.observe { [weak self, weak object] in
            guard let self else { return }
            update()
            withExtendedLifetime(object) { KeyValueObservers.shared.evaluate() }
        }
    }

    private func update() {
        // The counts are read under the lock, so that no thread replaces newer counts by older ones.
        Self.lock.withLock {
            let count = task.isUpload ? task.countOfBytesSent : task.countOfBytesReceived
            let total = task.countOfBytesExpected
            // No event reports the last bytes of a task, or the total if the server did not.
            let isComplete = task.state == .completed && task.error == nil
            let end = isComplete ? max(count, total) : nil
            if progress.totalUnitCount != end ?? total { progress.totalUnitCount = end ?? total }
            if progress.completedUnitCount != end ?? count { progress.completedUnitCount = end ?? count }
        }
    }
}

/// The duration and the redirects of a task.
///
/// For a task of another session, the object contains the metrics of FoundationNetworking.
public final class URLSessionTaskMetrics: NSObject, Sendable {
    /// The time from the task's first `resume()` to its end.
    ///
    /// For a task that an earlier process submitted, the interval begins when this process opened the session.
    public let taskInterval: DateInterval
    /// The number of redirects. Always 0 in a background session, which does not report redirects.
    public let redirectCount: Int
    /// The metrics of each request. Always empty in a background session, whose requests another process sends.
    public let transactionMetrics: [URLSessionTaskTransactionMetrics]

    init(of task: BackgroundTask) {
        let (begin, end) = (task.began, Date())
        taskInterval = DateInterval(start: min(begin, end), end: end)
        redirectCount = 0
        transactionMetrics = []
    }

    init(_ metrics: FoundationNetworking.URLSessionTaskMetrics) {
        taskInterval = metrics.taskInterval
        redirectCount = metrics.redirectCount
        transactionMetrics = metrics.transactionMetrics
    }
}
