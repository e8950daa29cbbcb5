// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking
import Synchronization

/// The requests that a delegate receives, and the effect of its replies on a task.
enum DelegateRequest {
    /// Requests permission to begin a delayed task. A delegate without the method receives no further requests.
    static func ask(
        _ delegate: any URLSessionTaskDelegate, whetherToBegin task: BackgroundTask, with request: URLRequest,
        _ session: URLSession, _ event: BackgroundEvent
    ) {
        let unimplemented = DefaultImplementationProbe()
        DefaultImplementationProbe.$current.withValue(unimplemented) {
            delegate.urlSession(session, task: session.objects.object(for: task), willBeginDelayedRequest: request) {
                disposition, other in
                // The program runs until the delegate has replied.
                defer { event.inHand?.end() }
                guard !unimplemented.wasCalled else { return task.replyByDefault() }
                switch disposition {
                case .cancel: task.cancel()
                case .useNewRequest:
                    do throws(SessionError) { try task.begin(with: other) } catch { failForMisuse(error) }
                default:
                    do throws(SessionError) { try task.begin() } catch { failForMisuse(error) }
                }
            }
        }
    }

    /// Requests credentials for a server's challenge.
    static func ask(
        _ delegate: any URLSessionTaskDelegate, toLogIn task: BackgroundTask, _ challenge: BackgroundChallenge,
        _ session: URLSession, _ event: BackgroundEvent
    ) {
        let space = URLProtectionSpace(
            host: challenge.host, port: challenge.port, protocol: challenge.isSecure ? "https" : "http",
            realm: challenge.realm,
            authenticationMethod: challenge.scheme.authenticationMethod)
        let appleChallenge = URLAuthenticationChallenge(
            protectionSpace: space, proposedCredential: nil, previousFailureCount: challenge.refusals,
            failureResponse: nil, error: nil, sender: NullSender())
        delegate.urlSession(session, task: session.objects.object(for: task), didReceive: appleChallenge) {
            disposition, credential in
            defer { event.inHand?.end() }
            switch disposition {
            case .useCredential:
                // A credential for a certificate (`URLCredential(trust:)`) has neither.
                guard let user = credential?.user, let password = credential?.password, !(user + password).isEmpty
                else { return task.replyByDefault() }
                guard challenge.scheme == .bearer else { return task.answer(user: user, password: password) }
                // A delegate that sends the same user and password to every challenge does not know about tokens.
                guard user.isEmpty else { return task.replyByDefault() }
                task.answer(token: password)
            case .cancelAuthenticationChallenge: task.cancel()
            default: task.replyByDefault()
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

/// A record that the protocol's default implementation ran. Swift cannot detect an unimplemented method otherwise.
///
/// The record is task-local, so it also reaches the default implementation of an asynchronous method.
final class DefaultImplementationProbe: Sendable {
    @TaskLocal static var current: DefaultImplementationProbe?
    private let flag = Mutex(false)

    var wasCalled: Bool { flag.withLock { $0 } }

    /// Records the call. Called by the protocol's default implementation.
    static func recordCall() { current?.flag.withLock { $0 = true } }
}

/// A sender that does nothing. Every challenge must have a sender, but the reply goes to the completion handler.
private final class NullSender: NSObject, URLAuthenticationChallengeSender {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
    func cancel(_ challenge: URLAuthenticationChallenge) {}
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}
