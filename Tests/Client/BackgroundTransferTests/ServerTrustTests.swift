// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import Testing
import TransferModel

@testable import BackgroundTransfer

/// Tests of delegates that would accept a certificate on Apple's platforms.
extension URLSessionTests {
    /// A delegate that answers every challenge as tutorials do, with the trust of the server.
    private final class TrustingDelegate: NSObject, URLSessionTaskDelegate {
        let space = URLProtectionSpace(
            host: "h", port: 443, protocol: "https", realm: nil,
            authenticationMethod: NSURLAuthenticationMethodServerTrust)

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            // As documented, other methods have no trust.
            #expect(challenge.protectionSpace.serverTrust == nil)
            completionHandler(.useCredential, URLCredential(trust: space.serverTrust!))
        }
    }

    @Test("T8: a credential for a certificate accepts nothing: the server's refusal is the response")
    func trust() async throws {
        let session = URLSession(
            configuration: .background(withIdentifier: #function), delegate: TrustingDelegate(), delegateQueue: nil)
        session.downloadTask(with: try #require(URL(string: "https://h/a"))).resume()
        let challenge = ChallengeDescription(
            scheme: "basic", realm: nil, host: "h", port: 443, isSecure: true, refusals: 0)
        channel.send(SessionEvent(task: 1, .challenged(challenge)))
        while channel.orders.count < 2, !Task.isCancelled { await Task.yield() }
        #expect(channel.orders.last == .answer(1, .none))
        session.invalidateAndCancel()
    }

    @Test("A refused certificate is logged once with its remedy, also to an app that does not ask for it")
    func refusedCertificate() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let refusal = FailureDescription(code: URLError.serverCertificateUntrusted.rawValue, message: "untrusted")
            let channel = FakeChannel()
            for _ in 0..<2 {
                let task = BackgroundTask(.download(1), isSubmitted: true, session: "s", channel: channel)
                task.apply(.completed(refusal))
            }
            _ = TrustingDelegate().space.serverTrust
        }
        let lines = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(lines.ranges(of: "update-ca-certificates").count == 1, "\(lines)")
    }
}
