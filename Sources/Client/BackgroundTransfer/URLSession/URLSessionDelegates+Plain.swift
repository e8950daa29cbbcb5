// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import FoundationNetworking

// FoundationNetworking calls these methods for its own sessions. Each forwards to the method that the app implements.

extension URLSessionDelegate {
    /// Forwards the call to the app's method.
    public func urlSession(_ session: FoundationNetworking.URLSession, didBecomeInvalidWithError error: (any Error)?) {
        if let session = session as? URLSession { urlSession(session, didBecomeInvalidWithError: error) }
    }
    /// Forwards the call to the app's method.
    public func urlSession(
        _ session: FoundationNetworking.URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let session = session as? URLSession else { return completionHandler(.performDefaultHandling, nil) }
        urlSession(session, didReceive: challenge, completionHandler: completionHandler)
    }
}

extension URLSessionTaskDelegate {
    /// Forwards the call to the app's method.
    public func urlSession(
        _ session: FoundationNetworking.URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard let session = session as? URLSession else { return completionHandler(request) }
        urlSession(
            session, task: task, willPerformHTTPRedirection: response, newRequest: request,
            completionHandler: completionHandler)
    }
    /// Forwards the call to the app's method.
    public func urlSession(
        _ session: FoundationNetworking.URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let session = session as? URLSession else { return completionHandler(.performDefaultHandling, nil) }
        urlSession(session, task: task, didReceive: challenge, completionHandler: completionHandler)
    }
    /// Forwards the call to the app's method.
    public func urlSession(
        _ session: FoundationNetworking.URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        guard let session = session as? URLSession else { return }
        urlSession(
            session, task: task, didSendBodyData: bytesSent, totalBytesSent: totalBytesSent,
            totalBytesExpectedToSend: totalBytesExpectedToSend)
    }
    /// Forwards the call to the app's method.
    public func urlSession(
        _ session: FoundationNetworking.URLSession, task: URLSessionTask,
        didFinishCollecting metrics: FoundationNetworking.URLSessionTaskMetrics
    ) {
        guard let session = session as? URLSession else { return }
        urlSession(session, task: task, didFinishCollecting: URLSessionTaskMetrics(metrics))
    }
    /// Forwards the call to the app's method.
    public func urlSession(
        _ session: FoundationNetworking.URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        if let session = session as? URLSession { urlSession(session, task: task, didCompleteWithError: error) }
    }
}

extension URLSessionDataDelegate {
    /// Forwards the call to the app's method.
    public func urlSession(
        _ session: FoundationNetworking.URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        guard let session = session as? URLSession else { return completionHandler(.allow) }
        urlSession(session, dataTask: dataTask, didReceive: response, completionHandler: completionHandler)
    }
    /// Forwards the call to the app's method.
    public func urlSession(
        _ session: FoundationNetworking.URLSession, dataTask: URLSessionDataTask, didReceive data: Data
    ) {
        if let session = session as? URLSession { urlSession(session, dataTask: dataTask, didReceive: data) }
    }
}

extension URLSessionDownloadDelegate {
    /// Forwards the call to the app's method.
    public func urlSession(
        _ session: FoundationNetworking.URLSession, downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        if let session = session as? URLSession {
            urlSession(session, downloadTask: downloadTask, didFinishDownloadingTo: location)
        }
    }
    /// Forwards the call to the app's method.
    public func urlSession(
        _ session: FoundationNetworking.URLSession, downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64, totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        guard let session = session as? URLSession else { return }
        urlSession(
            session, downloadTask: downloadTask, didWriteData: bytesWritten, totalBytesWritten: totalBytesWritten,
            totalBytesExpectedToWrite: totalBytesExpectedToWrite)
    }
    /// Forwards the call to the app's method. `fileOffset` counts the bytes of the file that are already there.
    public func urlSession(
        _ session: FoundationNetworking.URLSession, downloadTask: URLSessionDownloadTask,
        didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64
    ) {
        guard let session = session as? URLSession else { return }
        urlSession(
            session, downloadTask: downloadTask, didResumeAtOffset: fileOffset, expectedTotalBytes: expectedTotalBytes)
    }
}
