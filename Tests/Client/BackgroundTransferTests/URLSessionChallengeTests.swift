// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import Testing
import TransferModel
import TransferSessions

@testable import BackgroundTransfer

/// Tests of servers that require authentication.
extension URLSessionTests {
    /// A delegate that gives the same reply to every challenge and records the challenges.
    private final class CredentialDelegate: NSObject, URLSessionTaskDelegate {
        let answer: (URLSession.AuthChallengeDisposition, user: String, password: String)
        let asked = Mutex<[String]>([])

        init(_ answer: (URLSession.AuthChallengeDisposition, user: String, password: String)) { self.answer = answer }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            let space = challenge.protectionSpace
            asked.withLock {
                $0.append("\(space.authenticationMethod) \(space.host) \(challenge.previousFailureCount)")
            }
            completionHandler(
                answer.0, URLCredential(user: answer.user, password: answer.password, persistence: .none))
        }
    }

    @Test(
        "T8: a token has its own authentication method, and is the password of an empty user name",
        arguments: [
            ("bearer", URLSession.AuthChallengeDisposition.useCredential, "", "t.1", ChallengeReply.token("t.1")),
            // A user name shows that the delegate would answer any challenge. A token contains no space.
            ("bearer", .useCredential, "u", "secret", .none), ("bearer", .useCredential, "", "a b", .none),
            ("bearer", .performDefaultHandling, "", "t.1", .none),
            ("bearer", .rejectProtectionSpace, "", "t.1", .none),
            ("basic", .useCredential, "u", "p", .credential(user: "u", password: "p")),
        ])
    func token(
        scheme: String, disposition: URLSession.AuthChallengeDisposition, user: String, password: String,
        reply: ChallengeReply
    ) async throws {
        let guest = CredentialDelegate((disposition, user, password))
        let identifier = "\(scheme) \(disposition.rawValue) \(user) \(password)"
        let session = URLSession(
            configuration: .background(withIdentifier: identifier), delegate: guest, delegateQueue: nil)
        session.downloadTask(with: try #require(URL(string: "http://example.org/a"))).resume()
        let challenge = ChallengeDescription(
            scheme: scheme, realm: nil, host: "h", port: 443, isSecure: true, refusals: 1)
        channel.send(SessionEvent(task: 1, .challenged(challenge)))
        while !Task.isCancelled, !channel.orders.contains(.answer(1, reply)),
            guest.asked.withLock(\.isEmpty) || channel.orders.count < 2
        {
            await Task.yield()
        }
        #expect(channel.orders.last == .answer(1, reply))
        let method = scheme == "bearer" ? NSURLAuthenticationMethodHTTPBearer : NSURLAuthenticationMethodHTTPBasic
        #expect(guest.asked.withLock { $0 } == ["\(method) h 1"])
        session.invalidateAndCancel()
    }

    @Test("T8: without a challenge method in the delegate, the server's refusal is the response")
    func unknownChallenge() async throws {
        let session = session()
        session.downloadTask(with: try #require(URL(string: "http://example.org/a"))).resume()
        let challenge = ChallengeDescription(
            scheme: "bearer", realm: nil, host: "h", port: 443, isSecure: true, refusals: 0)
        channel.send(SessionEvent(task: 1, .challenged(challenge)))
        while channel.orders.count < 2, !Task.isCancelled { await Task.yield() }
        #expect(channel.orders.last == .answer(1, .none))
        session.invalidateAndCancel()
    }
}
