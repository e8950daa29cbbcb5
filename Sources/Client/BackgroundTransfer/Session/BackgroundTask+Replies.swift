// SPDX-License-Identifier: Apache-2.0
internal import Foundation
public import FoundationNetworking
internal import Logging
internal import Synchronization
internal import TransferModel

/// The replies of the program to events of a task.
extension BackgroundTask {
    /// Lets a delayed task begin. Replies to a ``BackgroundEvent/Kind/willBegin(_:_:)`` event, and has no effect
    /// otherwise.
    ///
    /// - Parameter request: A request that replaces the task's request, for example with a fresh token. `nil` keeps the
    ///   task's request.
    /// - Throws: `SessionError` if the scheme of the new request is neither http nor https.
    public func begin(with request: URLRequest? = nil) throws(SessionError) {
        guard let request else { return answer(.begin, .begin(identifier, .asBefore)) }
        let description = try isUpload ? RequestDescription(request) : RequestDescription(ofDownload: request)
        answer(.begin, .begin(identifier, .with(description)))
        content.withLock { $0.snapshot.request = description }
    }

    /// Replies to a ``BackgroundEvent/Kind/challenged(_:_:)`` event with a user name and a password. Only the server
    /// of the event receives the reply.
    ///
    /// - Parameters:
    ///   - user: The user name.
    ///   - password: The password.
    public func answer(user: String, password: String) {
        answer(.login, .answer(identifier, .credential(user: user, password: password)))
    }

    /// Replies to a server that requires a token. Only that server receives the token.
    ///
    /// The task continues where it was. Its `Authorization` header field becomes `Bearer` with the token.
    ///
    /// A string that is not a valid token (RFC 6750 §2.1) is not sent. The server's refusal then becomes the response
    /// of the task.
    ///
    /// - Parameter token: The token.
    public func answer(token: String) {
        guard ChallengeReply.isToken(token) else {
            Log.warning("a token has signs that no token has, or too many; the server's refusal is its answer")
            return answer(.login, .answer(identifier, .none))
        }
        answer(.login, .answer(identifier, .token(token)))
    }

    /// Sends the default reply to an event that the program has not replied to.
    func replyByDefault() {
        answer(.begin, .begin(identifier, .unasked))
        answer(.login, .answer(identifier, .none))
    }

    private func answer(_ pendingReply: PendingReply, _ order: TaskOrder) {
        content.withLock { content in
            guard content.pendingReply == pendingReply, content.state != .canceling else { return }
            content.pendingReply = nil
            channel.post(order, in: session)
        }
    }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The authentication method of a server that requires a token: `401` with `WWW-Authenticate: Bearer` (RFC 6750).
///
/// Apple's sessions have no such method: there, the refusal is the response of the task. A background session asks
/// its delegate with this method if `answersBearerChallenges` of its configuration is `true`.
///
/// Answer with the token as the password of a user without a name: `URLCredential(user: "", password: token,
/// persistence: .none)`. The task then continues where it was. The token replaces the value of `Authorization` in the
/// task's request. No other server receives the token. With any other reply, the server's refusal becomes the
/// response of the task.
///
/// `previousFailureCount` is above 0 if the server refused the last token. For a token that was accepted and has
/// since expired, the count is 0.
public let NSURLAuthenticationMethodHTTPBearer = "NSURLAuthenticationMethodHTTPBearer"
