// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The authentication method of a server that wants a token: `401` with `WWW-Authenticate: Bearer` (RFC 6750). Not Apple's,
/// whose sessions leave such a refusal to be the answer; told to the delegate of a background session where
/// `answersBearerChallenges` of its configuration is true.
///
/// Answered with a token as the password of a user without a name,
/// `URLCredential(user: "", password: token, persistence: .none)`, the task goes on where it was, with the token in place of
/// what its request had as `Authorization`. No other server gets it. With any other answer the refusal stays the server's
/// answer. `previousFailureCount` is above 0 where the server refused the token that it was given last; for one that was
/// taken and has expired since, it is 0.
public let NSURLAuthenticationMethodHTTPBearer = "NSURLAuthenticationMethodHTTPBearer"
