// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import FoundationNetworking

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
