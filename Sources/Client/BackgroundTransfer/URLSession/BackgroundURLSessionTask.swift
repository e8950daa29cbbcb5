// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import FoundationNetworking

/// A task of a background session behind Apple's API.
protocol BackgroundURLSessionTask: URLSessionTask {
    /// The background task that this object represents.
    var task: BackgroundTask { get }
}

extension FoundationNetworking.URLSessionTask {
    /// The earliest date at which a task of a background session may begin. `nil` (the default) means immediately.
    ///
    /// Has no effect in other sessions. FoundationNetworking's own property is deprecated and does nothing.
    public var earliestBeginDate: Date? {
        get { (self as? any BackgroundURLSessionTask)?.task.earliestBeginDate }
        set { (self as? any BackgroundURLSessionTask)?.task.earliestBeginDate = newValue }
    }
}

extension URLSessionTask.State {
    /// Creates the state with the same name in Apple's API.
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
