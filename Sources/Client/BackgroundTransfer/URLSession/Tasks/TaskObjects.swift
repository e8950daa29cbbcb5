// SPDX-License-Identifier: Apache-2.0
import FoundationNetworking
import Synchronization

/// The objects that represent a session's unfinished tasks in Apple's API.
final class TaskObjects: Sendable {
    private struct Content {
        var objects: [Int: URLSessionTask] = [:]
        /// Whether the delegate was checked for the methods for downloads.
        var isReported = false
    }

    private let content = Mutex(Content())

    /// Returns the object that represents a task. Each call for a task returns the same object.
    func object(for task: BackgroundTask) -> URLSessionTask {
        content.withLock { content in
            if let known = content.objects[task.identifier] { return known }
            let made = task.isUpload ? BackgroundUploadTask.made(task) : BackgroundDownloadTask.made(task)
            content.objects[task.identifier] = made
            return made
        }
    }

    /// Records the object of a new task, and reports the task to the delegate before all other calls for the task.
    func add(_ task: some BackgroundURLSessionTask, of session: URLSession) {
        let isFirst = content.withLock { content in
            content.objects[task.taskIdentifier] = task
            defer { content.isReported = content.isReported || task is BackgroundDownloadTask }
            return task is BackgroundDownloadTask && !content.isReported
        }
        guard let delegate = session.retainedDelegate.withLock({ $0 }) else { return }
        if isFirst, let warning = DelegateConformance.warning(aboutDownloadsFor: delegate) { Log.warning("\(warning)") }
        guard let delegate = delegate as? any URLSessionTaskDelegate else { return }
        session.delegateQueue.addOperation { delegate.urlSession(session, didCreateTask: task) }
    }

    /// Removes the object of a task that has ended.
    func remove(_ task: BackgroundTask) { content.withLock { $0.objects[task.identifier] = nil } }
}
