// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import FoundationNetworking

/// A task of a background session behind Apple's API.
protocol BackgroundURLSessionTask: URLSessionTask {
    /// What it stands for.
    var task: BackgroundTask { get }
}

extension FoundationNetworking.URLSessionTask {
    /// When a task of a background session may begin; nil at once. Without effect in other sessions.
    ///
    /// FoundationNetworking's own is deprecated there and does nothing.
    public var earliestBeginDate: Date? {
        get { (self as? any BackgroundURLSessionTask)?.task.earliestBeginDate }
        set { (self as? any BackgroundURLSessionTask)?.task.earliestBeginDate = newValue }
    }
}

extension URLSessionTask.State {
    /// The same by Apple's names.
    init(_ state: BackgroundTask.State) {
        self =
            switch state {
            case .suspended: .suspended
            case .running: .running
            case .canceling: .canceling
            case .completed: .completed
            }
    }
}

extension BackgroundTask {
    /// Has `progress` show how far this task is.
    func show(in progress: Progress) -> Progress {
        progress.totalUnitCount = countOfBytesExpected
        progress.completedUnitCount = isUpload ? countOfBytesSent : countOfBytesReceived
        return progress
    }
}
