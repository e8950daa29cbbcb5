// SPDX-License-Identifier: Apache-2.0
import FoundationNetworking
import Synchronization

/// The objects that represent a session's unfinished tasks in Apple's API.
final class TaskObjects: Sendable {
    private struct Content {
        var objects: [Int: URLSessionTask] = [:]
        /// The objects of ended tasks that the program may still use.
        var ended: [Int: WeakTask] = [:]
        /// The number of refused data tasks so far.
        var refused = 0
        /// Whether the delegate was checked for the methods for downloads.
        var isReported = false
    }

    /// A reference to an object that the program may have released.
    private struct WeakTask {
        weak var object: URLSessionTask?
    }

    private let content = Mutex(Content())

    /// Returns the object that represents a task. Each call for a task returns the same object, because only one
    /// object is notified of the task's changes.
    func object(for task: BackgroundTask) -> URLSessionTask {
        content.withLock { content in
            let number = task.identifier
            if let known = content.objects[number] ?? content.ended[number]?.object { return known }
            let made = task.isUpload ? BackgroundUploadTask.made(task) : BackgroundDownloadTask.made(task)
            content.objects[number] = made
            return made
        }
    }

    /// Returns the object of a new task, and reports the task to the delegate before all other calls for the task.
    func add<Object: URLSessionTask>(_ task: BackgroundTask, of session: URLSession) -> Object {
        guard let object = object(for: task) as? Object else {
            preconditionFailure("the object of a task has another type")
        }
        let isFirst = content.withLock { content in
            defer { content.isReported = content.isReported || !task.isUpload }
            return !task.isUpload && !content.isReported
        }
        guard let delegate = session.retainedDelegate.withLock({ $0 }) else { return object }
        if isFirst, let warning = DelegateConformance.warning(aboutDownloadsFor: delegate) { Log.warning("\(warning)") }
        guard let delegate = delegate as? any URLSessionTaskDelegate else { return object }
        session.delegateQueue.addOperation { delegate.urlSession(session, didCreateTask: object) }
        return object
    }

    /// Returns the identifier of the next refused data task. No task of the session has the identifier, and the
    /// session's own numbers are not used up.
    func nextRefusedIdentifier() -> Int {
        content.withLock { content in
            defer { content.refused += 1 }
            return .max - content.refused
        }
    }

    /// Returns whether the session still needs the object of a task.
    func isUnfinished(_ task: BackgroundTask) -> Bool { content.withLock { $0.objects[task.identifier] != nil } }

    /// Removes the object of a task that has ended.
    func remove(_ task: BackgroundTask) {
        content.withLock { content in
            content.ended = content.ended.filter { $0.value.object != nil }
            guard let object = content.objects.removeValue(forKey: task.identifier) else { return }
            content.ended[task.identifier] = WeakTask(object: object)
        }
    }
}
