// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import Testing
import TransferModel
import TransferSessions

@testable import BackgroundTransfer

/// Tests of delegates that inherit their conformance.
extension URLSessionTests {
    private class Plain: NSObject, URLSessionDelegate, @unchecked Sendable {}
    private final class Derived: Plain, URLSessionDownloadDelegate, @unchecked Sendable {
        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
        ) {}
    }
    private class Based: SessionDelegateBase, @unchecked Sendable {}
    private final class BasedTwice: Based, @unchecked Sendable {
        let ended = AsyncStream.makeStream(of: Void.self)
        let counts = Mutex<[Int64]>([])

        override func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
            totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
        ) { counts.withLock { $0.append(bytesWritten) } }
        override func urlSession(
            _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest
        ) async -> (URLSession.DelayedRequestDisposition, URLRequest?) { (.cancel, nil) }
        override func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)
        {
            ended.continuation.yield()
        }
    }

    @Test("a delegate whose class inherits its conformance causes a warning with the remedy")
    func inherited() {
        #expect(DelegateConformance.warning(about: Plain()) == nil)
        #expect(DelegateConformance.warning(about: BasedTwice()) == nil)
        let warning = DelegateConformance.warning(about: Derived()) ?? ""
        #expect(warning.contains("'Derived' inherits URLSessionDelegate from 'Plain'"))
        #expect(warning.contains("SessionDelegateBase"))
        #expect(DelegateConformance.warning(aboutDownloadsFor: Derived()) == nil)
        #expect(DelegateConformance.warning(aboutDownloadsFor: Plain())?.contains("URLSessionDownloadDelegate") == true)
    }

    @Test("every method of a subclass of SessionDelegateBase is called")
    func basedDelegate() async throws {
        let delegate = BasedTwice()
        let session = URLSession(
            configuration: .background(withIdentifier: "based"), delegate: delegate, delegateQueue: nil)
        session.downloadTask(with: try #require(URL(string: "http://example.org/a"))).resume()
        channel.send(SessionEvent(task: 1, .received(7, total: 9)))
        channel.send(SessionEvent(task: 1, .willBegin(RequestDescription(url: "http://example.org/a"))))
        while !channel.orders.contains(.cancel(1)), !Task.isCancelled { await Task.yield() }
        channel.send(SessionEvent(number: 1, task: 1, .completed(nil)))
        for await _ in delegate.ended.stream { break }
        #expect(delegate.counts.withLock { $0 } == [7])
        session.invalidateAndCancel()
    }
}
