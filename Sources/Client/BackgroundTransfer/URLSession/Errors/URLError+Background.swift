// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// The key of the resume data in the `userInfo` of a failed download's error.
///
/// The value is `Data` for `URLSession.downloadTask(withResumeData:)`.
public let NSURLSessionDownloadTaskResumeData = "NSURLSessionDownloadTaskResumeData"

// Properties for the values in `userInfo`, which Foundation does not declare on Linux.
extension URLError {
    /// The reasons that a background session cancels a task without a request from the app.
    public enum BackgroundTaskCancelledReason: Int, Hashable, Sendable {
        /// The user has force quit the app.
        case userForceQuitApplication = 0
        /// Background work is disabled for the app. Not used on Linux.
        case backgroundUpdatesDisabled = 1
        /// The system lacks resources. Not used on Linux.
        case insufficientSystemResources = 2
    }

    /// The reasons that a task may not use a network.
    public enum NetworkUnavailableReason: Int, Hashable, Sendable {
        /// The task may not use cellular networks.
        case cellular = 0
        /// The task may not use networks that charge by the byte.
        case expensive = 1
        /// The task may not use networks on which the user wants to save data.
        case constrained = 2
    }

    /// The data for continuing a failed download in another task. `nil` if the download starts over.
    public var downloadTaskResumeData: Data? { userInfo[NSURLSessionDownloadTaskResumeData] as? Data }

    /// The reason that the session canceled the task. `nil` if the app canceled the task, or if the task failed.
    public var backgroundTaskCancelledReason: BackgroundTaskCancelledReason? {
        (userInfo[NSURLErrorBackgroundTaskCancelledReasonKey] as? Int).flatMap(
            BackgroundTaskCancelledReason.init(rawValue:))
    }

    /// The reason that no network was available to the task. Always `nil` for a task of a background session, which
    /// waits for a network instead.
    public var networkUnavailableReason: NetworkUnavailableReason? {
        (userInfo["NSURLErrorNetworkUnavailableReasonKey"] as? Int).flatMap(NetworkUnavailableReason.init(rawValue:))
    }
}
