// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking

/// The mapping from events to calls of the delegate's methods.
struct DelegateDelivery {
    /// The byte count last reported for each task. Delegates receive differences as well as totals.
    private var bytes: [Int: Int64] = [:]

    /// Returns the call that reports an event, or `nil` if the delegate has no method for it.
    ///
    /// A request for a reply is handled when its completion handler is called. Any other event is handled when its call
    /// has returned.
    mutating func call(
        for event: BackgroundEvent, of session: URLSession, to delegate: any URLSessionDelegate
    ) -> (@Sendable () -> Void)? {
        switch event.kind {
        case .received(let task, let total, let expected):
            return written(total, of: expected, task, session, delegate)
        case .sent(let task, let total, let expected):
            return sent(total, of: expected, task, session, delegate)
        case .continued(let task, let offset, let total):
            bytes[task.identifier] = offset
            guard let (task, delegate) = download(task, session, delegate) else { return nil }
            return {
                delegate.urlSession(
                    session, downloadTask: task, didResumeAtOffset: offset, expectedTotalBytes: total ?? -1)
            }
        case .responded(let task, let response):
            guard let (task, delegate) = upload(task, session, delegate) else { return nil }
            // The delegate's reply has no effect, because the transfer runs in another process.
            return { delegate.urlSession(session, dataTask: task, didReceive: response) { _ in } }
        case .body(let task, let data):
            guard let (task, delegate) = upload(task, session, delegate) else { return nil }
            return { delegate.urlSession(session, dataTask: task, didReceive: data) }
        case .willBegin(let task, let request):
            guard let delegate = delegate as? any URLSessionTaskDelegate else { return nil }
            return { DelegateRequest.ask(delegate, whetherToBegin: task, with: request, session, event) }
        case .challenged(let task, let challenge):
            guard let delegate = delegate as? any URLSessionTaskDelegate else { return nil }
            return { DelegateRequest.ask(delegate, toLogIn: task, challenge, session, event) }
        case .downloaded(let task, let file):
            guard let (task, delegate) = download(task, session, delegate) else { return nil }
            return { delegate.urlSession(session, downloadTask: task, didFinishDownloadingTo: file) }
        case .completed(let task, let error):
            bytes[task.identifier] = nil
            guard let delegate = delegate as? any URLSessionTaskDelegate else { return nil }
            let metrics = URLSessionTaskMetrics(of: task)
            let task = session.objects.object(for: task)
            return {
                delegate.urlSession(session, task: task, didFinishCollecting: metrics)
                delegate.urlSession(session, task: task, didCompleteWithError: error)
            }
        case .finishedEvents:
            return { delegate.urlSessionDidFinishEvents(forBackgroundURLSession: session) }
        case .invalidated(let error):
            return { delegate.urlSession(session, didBecomeInvalidWithError: error) }
        }
    }

    private mutating func written(
        _ total: Int64, of expected: Int64?, _ task: BackgroundTask, _ session: URLSession,
        _ delegate: any URLSessionDelegate
    ) -> (@Sendable () -> Void)? {
        let increase = total - (bytes.updateValue(total, forKey: task.identifier) ?? task.countAtOpening)
        // A smaller total means that the download started over. The earlier bytes no longer count.
        let written = increase < 0 ? total : increase
        // Apps divide by the number of new bytes.
        guard written > 0, let (task, delegate) = download(task, session, delegate) else { return nil }
        return {
            delegate.urlSession(
                session, downloadTask: task, didWriteData: written, totalBytesWritten: total,
                totalBytesExpectedToWrite: expected ?? -1)
        }
    }

    private mutating func sent(
        _ total: Int64, of expected: Int64?, _ task: BackgroundTask, _ session: URLSession,
        _ delegate: any URLSessionDelegate
    ) -> (@Sendable () -> Void)? {
        let increase = total - (bytes.updateValue(total, forKey: task.identifier) ?? task.countAtOpening)
        let sent = increase < 0 ? total : increase
        guard sent > 0, let delegate = delegate as? any URLSessionTaskDelegate else { return nil }
        let task = session.objects.object(for: task)
        return {
            delegate.urlSession(
                session, task: task, didSendBodyData: sent, totalBytesSent: total,
                totalBytesExpectedToSend: expected ?? -1)
        }
    }

    private func download(
        _ task: BackgroundTask, _ session: URLSession, _ delegate: any URLSessionDelegate
    ) -> (URLSessionDownloadTask, any URLSessionDownloadDelegate)? {
        guard let delegate = delegate as? any URLSessionDownloadDelegate,
            let task = session.objects.object(for: task) as? URLSessionDownloadTask
        else { return nil }
        return (task, delegate)
    }

    private func upload(
        _ task: BackgroundTask, _ session: URLSession, _ delegate: any URLSessionDelegate
    ) -> (URLSessionUploadTask, any URLSessionDataDelegate)? {
        guard let delegate = delegate as? any URLSessionDataDelegate,
            let task = session.objects.object(for: task) as? URLSessionUploadTask
        else { return nil }
        return (task, delegate)
    }
}
