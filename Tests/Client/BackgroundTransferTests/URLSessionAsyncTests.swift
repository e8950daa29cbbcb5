// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import Testing
import TransferModel
import TransferSessions

@testable import BackgroundTransfer

/// Tests of the asynchronous forms of Apple's methods.
extension URLSessionTests {
    /// A delegate that implements the asynchronous forms of the requests for replies.
    private final class Asked: NSObject, URLSessionTaskDelegate {
        let lines = Mutex<[String]>([])
        let ended = AsyncStream.makeStream(of: Void.self)

        func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {
            lines.withLock { $0.append("created \(task.taskIdentifier)") }
        }
        func urlSession(
            _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest
        ) async -> (URLSession.DelayedRequestDisposition, URLRequest?) {
            await Task.yield()
            lines.withLock { $0.append("begin \(task.taskIdentifier)") }
            var fresh = request
            fresh.setValue("fresh", forHTTPHeaderField: "Authorization")
            return (.useNewRequest, fresh)
        }
        func urlSession(
            _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
        ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
            await Task.yield()
            lines.withLock { $0.append("login \(task.taskIdentifier)") }
            return (.useCredential, URLCredential(user: "u", password: "p", persistence: .none))
        }
        func urlSession(
            _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
        ) {
            lines.withLock { $0.append("metrics \(task.taskIdentifier) \(metrics.redirectCount)") }
        }
        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            lines.withLock { $0.append("completed \(task.taskIdentifier)") }
            ended.continuation.yield()
        }
    }

    @Test("T3, T8: a delegate replies to a request by returning from an asynchronous method")
    func asynchronousDelegate() async throws {
        let asked = Asked()
        let session = URLSession(
            configuration: .background(withIdentifier: "async"), delegate: asked, delegateQueue: nil)
        session.downloadTask(with: try #require(URL(string: "http://example.org/a"))).resume()
        channel.send(SessionEvent(task: 1, .willBegin(RequestDescription(url: "http://example.org/a"))))
        while channel.orders.count < 2, !Task.isCancelled { await Task.yield() }
        let challenge = ChallengeDescription(
            scheme: "basic", realm: nil, host: "h", port: 443, isSecure: true, refusals: 0)
        channel.send(SessionEvent(task: 1, .challenged(challenge)))
        while channel.orders.count < 3, !Task.isCancelled { await Task.yield() }
        channel.send(SessionEvent(number: 1, task: 1, .completed(nil)))
        for await _ in asked.ended.stream { break }
        #expect(
            channel.orders.dropFirst() == [
                .begin(
                    1,
                    .with(
                        RequestDescription(
                            url: "http://example.org/a", method: "GET", headers: ["Authorization": "fresh"]))),
                .answer(1, .credential(user: "u", password: "p")),
            ])
        #expect(
            asked.lines.withLock { $0 } == ["created 1", "begin 1", "login 1", "metrics 1 0", "completed 1"])
        session.invalidateAndCancel()
    }

    /// A delegate that replies to a request after its method has returned.
    private final class Hesitant: NSObject, URLSessionTaskDelegate {
        let question = AsyncStream.makeStream(
            of: (@Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void).self)

        func urlSession(
            _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
            completionHandler: @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void
        ) { question.continuation.yield(completionHandler) }
    }

    @Test("T3: a delegate may reply after its method has returned, and no default reply is sent before that")
    func lateAnswer() async throws {
        let hesitant = Hesitant()
        let session = URLSession(
            configuration: .background(withIdentifier: "late"), delegate: hesitant, delegateQueue: nil)
        session.downloadTask(with: try #require(URL(string: "http://example.org/a"))).resume()
        channel.send(SessionEvent(task: 1, .willBegin(RequestDescription(url: "http://example.org/a"))))
        channel.send(SessionEvent(number: 7, task: 1, .completed(nil)))
        while channel.acknowledged != [7], !Task.isCancelled { await Task.yield() }
        #expect(channel.orders.count == 1)
        for await answer in hesitant.question.stream {
            answer(.cancel, nil)
            break
        }
        session.invalidateAndCancel()
    }

    @Test("T1: a background session rejects transfers that depend on the running program")
    func asynchronousTasks() async throws {
        let session = session()
        let request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:9/")))
        let file = URL(fileURLWithPath: #filePath)
        await #expect(throws: SessionError.self) { _ = try await session.download(for: request) }
        await #expect(throws: SessionError.self) { _ = try await session.data(for: request) }
        await #expect(throws: SessionError.self) { _ = try await session.upload(for: request, fromFile: file) }
        await #expect(throws: SessionError.self) { _ = try await session.upload(for: request, from: Data()) }
        session.invalidateAndCancel()
    }

    @Test("every form of an error's description contains the reason")
    func descriptions() throws {
        let error = FailureDescription(code: -1001, message: "the server was too slow").error(url: "http://h/")
        #expect(error.localizedDescription == "the server was too slow")
        #expect(!"\(error) \(error as NSError)".contains("(null)"))
        let refusal = SessionError(code: .unavailable, message: "no daemon")
        #expect((refusal as any Error).localizedDescription == "no daemon")
        #expect(!"\(refusal as NSError)".contains("(null)"))
    }
}
