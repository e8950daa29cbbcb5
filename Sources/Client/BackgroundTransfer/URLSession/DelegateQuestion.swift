// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking
import Synchronization

/// What a delegate is asked, and what its answer does to a task.
enum DelegateQuestion {
    /// Asks whether a delayed task is to begin. A delegate that does not implement the method is not asked again.
    static func ask(
        _ delegate: any URLSessionTaskDelegate, whetherToBegin task: BackgroundTask, with request: URLRequest,
        _ session: URLSession
    ) {
        let unimplemented = Unimplemented()
        Unimplemented.$current.withValue(unimplemented) {
            delegate.urlSession(session, task: session.task(for: task), willBeginDelayedRequest: request) {
                disposition, other in
                guard !unimplemented.isNoted else { return task.answerIfUnanswered() }
                switch disposition {
                case .cancel: task.cancel()
                case .useNewRequest:
                    do throws(SessionError) { try task.begin(with: other) } catch { misused(error) }
                default:
                    do throws(SessionError) { try task.begin() } catch { misused(error) }
                }
            }
        }
    }

    /// Asks for a login.
    static func ask(
        _ delegate: any URLSessionTaskDelegate, toLogIn task: BackgroundTask, _ challenge: BackgroundChallenge,
        _ session: URLSession
    ) {
        let space = URLProtectionSpace(
            host: challenge.host, port: challenge.port, protocol: challenge.isSecure ? "https" : "http",
            realm: challenge.realm,
            authenticationMethod: challenge.scheme.authenticationMethod)
        let asked = URLAuthenticationChallenge(
            protectionSpace: space, proposedCredential: nil, previousFailureCount: challenge.refusals,
            failureResponse: nil, error: nil, sender: NoSender())
        delegate.urlSession(session, task: session.task(for: task), didReceive: asked) { disposition, credential in
            switch disposition {
            case .useCredential:
                guard let user = credential?.user, let password = credential?.password else {
                    return task.answerIfUnanswered()
                }
                guard challenge.scheme == .bearer else { return task.answer(user: user, password: password) }
                // Who answers whatever comes with the same user and password does not know of tokens.
                guard user.isEmpty else { return task.answerIfUnanswered() }
                task.answer(token: password)
            case .cancelAuthenticationChallenge: task.cancel()
            default: task.answerIfUnanswered()
            }
        }
    }
}

extension BackgroundChallenge.Scheme {
    /// As a protection space calls it.
    fileprivate var authenticationMethod: String {
        switch self {
        case .basic: NSURLAuthenticationMethodHTTPBasic
        case .digest: NSURLAuthenticationMethodHTTPDigest
        case .bearer: NSURLAuthenticationMethodHTTPBearer
        }
    }
}

/// Notes that a delegate's method is the protocol's own: Swift has no other way to tell.
final class Unimplemented: Sendable {
    @TaskLocal static var current: Unimplemented?
    private let flag = Mutex(false)

    var isNoted: Bool { flag.withLock { $0 } }

    /// Called by the protocol's own method.
    static func note() { current?.flag.withLock { $0 = true } }
}

/// A challenge has one; the answer goes to the completion handler all the same.
private final class NoSender: NSObject, URLAuthenticationChallengeSender {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
    func cancel(_ challenge: URLAuthenticationChallenge) {}
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}
