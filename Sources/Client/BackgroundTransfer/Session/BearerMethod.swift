// SPDX-License-Identifier: Apache-2.0

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
