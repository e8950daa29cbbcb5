// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking

/// An upload task behind Apple's API. Every call and property is forwarded to its `BackgroundTask`.
final class BackgroundUploadTask: FoundationNetworking.URLSessionUploadTask, BackgroundURLSessionTask,
    @unchecked Sendable
{
    let task: BackgroundTask
    // Assigned once, in the initializer.
    private nonisolated(unsafe) var moving: TaskProgress?

    init(_ task: BackgroundTask) {
        self.task = task
        super.init()
        moving = TaskProgress(task, of: self)
    }

    /// Creates a task, typed as the common superclass of download and upload tasks.
    static func made(_ task: BackgroundTask) -> URLSessionTask { BackgroundUploadTask(task) }

    override var taskIdentifier: Int { task.identifier }
    override var originalRequest: URLRequest? { task.request }
    override var currentRequest: URLRequest? {
        get { task.request }
        set { _ = newValue }  // The superclass's setter is internal.
    }
    override var response: URLResponse? {
        get { task.response }
        set { _ = newValue }
    }
    override var error: (any Error)? { task.error }
    override var state: URLSessionTask.State {
        get { URLSessionTask.State(task.reportedState) }
        set { _ = newValue }
    }
    override var progress: Progress { moving?.progress ?? super.progress }
    override var taskDescription: String? {
        get { task.note }
        set { task.note = newValue }
    }
    override var priority: Float {
        get { task.priority }
        set { task.priority = newValue }
    }
    override var countOfBytesClientExpectsToSend: Int64 {
        get { task.countOfBytesClientExpectsToSend }
        set { task.countOfBytesClientExpectsToSend = newValue }
    }
    override var countOfBytesClientExpectsToReceive: Int64 {
        get { task.countOfBytesClientExpectsToReceive }
        set { task.countOfBytesClientExpectsToReceive = newValue }
    }
    override var countOfBytesReceived: Int64 {
        get { task.countOfBytesReceived }
        set { _ = newValue }
    }
    override var countOfBytesSent: Int64 {
        get { task.countOfBytesSent }
        set { _ = newValue }
    }
    override var countOfBytesExpectedToReceive: Int64 {
        get { task.isUpload ? -1 : task.countOfBytesExpected }
        set { _ = newValue }
    }
    override var countOfBytesExpectedToSend: Int64 {
        get { task.isUpload ? task.countOfBytesExpected : -1 }
        set { _ = newValue }
    }

    override func resume() { task.resume() }
    override func suspend() { task.suspend() }
    override func cancel() { task.cancel() }
}
