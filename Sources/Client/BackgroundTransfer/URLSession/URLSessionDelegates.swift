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
    /// Requests credentials for a server or proxy.
    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)
    /// Requests credentials for a server or proxy. The result is the reply.
    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)
    /// Reports that the delegate has received every event since the program last ran.
    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession)
}

/// A delegate that receives the events of a session's tasks.
///
/// Each request for a decision has a form with a completion handler and an asynchronous form. Implement one of the two.
public protocol URLSessionTaskDelegate: URLSessionDelegate, FoundationNetworking.URLSessionTaskDelegate {
    /// Reports that a task was created. This is the task's first call. Called in a background session only.
    func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask)
    /// Reports that a task waits for a network. Never called, because background sessions always wait, as on Apple's
    /// platforms, and no other session on Linux can wait.
    func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask)
    /// Requests permission to begin a delayed task. Called when the task's earliest begin date arrives.
    ///
    /// If the delegate does not implement this method, the task begins, and the session sends no further requests.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void)
    /// Requests permission to begin a delayed task. The result is the reply.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest
    ) async -> (URLSession.DelayedRequestDisposition, URLRequest?)
    /// Requests a decision about a redirect. Not called in a background session, which follows every redirect that its
    /// settings allow.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void)
    /// Requests a decision about a redirect. The result is the reply.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest
    ) async -> URLRequest?
    /// Requests credentials that a task needs for a server or proxy.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)
    /// Requests credentials that a task needs for a server or proxy. The result is the reply.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)
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
    /// Reports the duration of a task. Called before `urlSession(_:task:didCompleteWithError:)`.
    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics)
    /// Reports that a task has ended. This is the task's last call.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - error: The reason that the task failed, or `nil` if the server responded with any status code.
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)
}

/// A delegate that receives the events of data and upload tasks.
public protocol URLSessionDataDelegate: URLSessionTaskDelegate, FoundationNetworking.URLSessionDataDelegate {
    /// Reports the server's response. A background session ignores the disposition.
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void)
    /// Reports the server's response. The result is the disposition.
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition
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
