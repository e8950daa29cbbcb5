// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import FoundationNetworking

// The delegate protocols under Apple's names. Their methods receive this module's `URLSession`. Each protocol refines
// FoundationNetworking's protocol and forwards its calls. A delegate therefore serves any session: sessions without
// an identifier, which are FoundationNetworking's own, call the same methods.

/// A delegate that receives the events of a session as a whole.
public protocol URLSessionDelegate: FoundationNetworking.URLSessionDelegate {
    /// Reports that the session has ended. This is the session's last call.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - error: The reason, or `nil` if the program invalidated the session.
    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?)
    /// Asks for credentials that a server or proxy requires.
    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)
    /// Reports that the delegate has received every event since the program last ran.
    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession)
}

/// A delegate that receives the events of a session's tasks.
public protocol URLSessionTaskDelegate: URLSessionDelegate, FoundationNetworking.URLSessionTaskDelegate {
    /// Asks whether a task may begin. Called when the task's earliest begin date has arrived.
    ///
    /// If the delegate does not implement this method, the task begins, and the session does not ask again.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void)
    /// Asks whether to follow a redirect. Not called in a background session, which follows every redirect that its
    /// settings allow.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void)
    /// Asks for credentials that a server or proxy requires for a task.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)
    /// Reports the progress of an upload.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The upload.
    ///   - bytesSent: The number of bytes sent since the last call.
    ///   - totalBytesSent: The number of bytes sent in total.
    ///   - totalBytesExpectedToSend: The number of bytes to send in total, or −1 if unknown.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64)
    /// Reports that a task has ended. This is the task's last call.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - error: The reason that the task failed, or `nil` if the server responded, whatever the status code.
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)
}

/// A delegate that receives the events of data and upload tasks.
public protocol URLSessionDataDelegate: URLSessionTaskDelegate, FoundationNetworking.URLSessionDataDelegate {
    /// Reports the server's response. A background session ignores the disposition.
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void)
    /// Reports a part of the response body.
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
}

/// A delegate that receives the events of download tasks.
public protocol URLSessionDownloadDelegate: URLSessionTaskDelegate, FoundationNetworking.URLSessionDownloadDelegate {
    /// Reports that a download is complete. The file exists until this method returns: move or open the file before
    /// that.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - downloadTask: The download.
    ///   - location: The temporary file with the downloaded bytes.
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL)
    /// Reports the progress of a download.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - downloadTask: The download.
    ///   - bytesWritten: The number of bytes written since the last call.
    ///   - totalBytesWritten: The number of bytes written in total.
    ///   - totalBytesExpectedToWrite: The number of bytes to write in total, or −1 if unknown.
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64)
    /// Reports that a download continues where it had stopped.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - downloadTask: The download.
    ///   - fileOffset: The number of bytes that are already on disk.
    ///   - expectedTotalBytes: The number of bytes of the complete file, or −1 if unknown.
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64)
}

// MARK: Default implementations

extension URLSessionDelegate {
    /// Does nothing.
    public func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {}
    /// Performs the session's default handling.
    public func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) { completionHandler(.performDefaultHandling, nil) }
    /// Does nothing.
    public func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {}
}

extension URLSessionTaskDelegate {
    /// Lets the task begin.
    public func urlSession(
        _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void
    ) {
        DefaultImplementationProbe.recordCall()
        completionHandler(.continueLoading, nil)
    }
    /// Follows the redirect.
    public func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) { completionHandler(request) }
    /// Performs the session's default handling.
    public func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) { completionHandler(.performDefaultHandling, nil) }
    /// Does nothing.
    public func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {}
    /// Does nothing.
    public func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {}
}

extension URLSessionDataDelegate {
    /// Allows the task to continue.
    public func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) { completionHandler(.allow) }
    /// Does nothing.
    public func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {}
}

extension URLSessionDownloadDelegate {
    /// Does nothing.
    public func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {}
    /// Does nothing. `fileOffset` counts the bytes of the file that are already there.
    public func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) {}
}
