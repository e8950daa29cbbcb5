// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import FoundationNetworking

/// A base class for delegates that inherit from each other.
///
/// Swift binds a delegate's methods in the class that declares the conformance. A method that only a subclass declares
/// is never called. This class declares every method, so that any subclass may override any method:
///
/// ```swift
/// class Downloads: SessionDelegateBase {
///     override func urlSession(
///         _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
///     ) { … }
/// }
/// ```
///
/// Each request for a reply has two forms. Override either form. The form with a completion handler calls the
/// asynchronous form.
open class SessionDelegateBase: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate, @unchecked Sendable {
    // MARK: The session

    /// Does nothing.
    open func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {}
    /// Calls the asynchronous form.
    open func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        Task {
            let (disposition, credential) = await urlSession(session, didReceive: challenge)
            completionHandler(disposition, credential)
        }
    }
    /// Performs the session's default handling.
    open func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) { (.performDefaultHandling, nil) }
    /// Does nothing.
    open func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {}

    // MARK: Tasks

    /// Does nothing.
    open func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {}
    /// Does nothing.
    open func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {}
    /// Calls the asynchronous form.
    open func urlSession(
        _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void
    ) {
        Task {
            let (disposition, other) = await urlSession(session, task: task, willBeginDelayedRequest: request)
            completionHandler(disposition, other)
        }
    }
    /// Lets the task begin.
    open func urlSession(
        _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest
    ) async -> (URLSession.DelayedRequestDisposition, URLRequest?) {
        DefaultImplementationProbe.recordCall()
        return (.continueLoading, nil)
    }
    /// Calls the asynchronous form.
    open func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        Task {
            completionHandler(
                await urlSession(session, task: task, willPerformHTTPRedirection: response, newRequest: request))
        }
    }
    /// Follows the redirect.
    open func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest
    ) async -> URLRequest? { request }
    /// Calls the asynchronous form.
    open func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        Task {
            let (disposition, credential) = await urlSession(session, task: task, didReceive: challenge)
            completionHandler(disposition, credential)
        }
    }
    /// Performs the session's default handling.
    open func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) { (.performDefaultHandling, nil) }
    /// Does nothing.
    open func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {}
    /// Does nothing.
    open func urlSession(
        _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) {}
    /// Does nothing.
    open func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {}

    // MARK: Data and upload tasks

    /// Calls the asynchronous form.
    open func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        Task { completionHandler(await urlSession(session, dataTask: dataTask, didReceive: response)) }
    }
    /// Allows the task to continue.
    open func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition { .allow }
    /// Does nothing.
    open func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {}

    // MARK: Downloads

    /// Does nothing. The session removes the file.
    open func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {}
    /// Does nothing.
    open func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {}
    /// Does nothing. `fileOffset` counts the bytes of the file that are already there.
    open func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) {}
}
