// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking
import Synchronization

/// The questions that a delegate is asked, and the effect of its answers on a task.
enum DelegateQuestion {
    /// Asks whether a delayed task may begin. A delegate that does not implement the method is not asked again.
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

    /// Asks for authentication.
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
                // A delegate that sends the same user and password to every challenge does not know about tokens.
                guard user.isEmpty else { return task.answerIfUnanswered() }
                task.answer(token: password)
            case .cancelAuthenticationChallenge: task.cancel()
            default: task.answerIfUnanswered()
            }
        }
    }
}

extension BackgroundChallenge.Scheme {
    /// The name of the scheme in a protection space.
    fileprivate var authenticationMethod: String {
        switch self {
        case .basic: NSURLAuthenticationMethodHTTPBasic
        case .digest: NSURLAuthenticationMethodHTTPDigest
        case .bearer: NSURLAuthenticationMethodHTTPBearer
        }
    }
}

/// A record that the protocol's default implementation ran. Swift has no other way to detect an unimplemented method.
final class Unimplemented: Sendable {
    @TaskLocal static var current: Unimplemented?
    private let flag = Mutex(false)

    var isNoted: Bool { flag.withLock { $0 } }

    /// Records the call. Called by the protocol's default implementation.
    static func note() { current?.flag.withLock { $0 = true } }
}

/// A sender that does nothing. Every challenge must have one, but the answer goes to the completion handler.
private final class NoSender: NSObject, URLAuthenticationChallengeSender {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
    func cancel(_ challenge: URLAuthenticationChallenge) {}
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}
