// SPDX-License-Identifier: Apache-2.0

/// A user and a password for a server. A secret: never logged, removed from the store when the transfer ends.
public struct Credential: Hashable, Sendable, Codable {
    /// The user's name; for Basic without a colon.
    public var user: String
    /// The password.
    public var password: String

    /// A credential.
    public init(user: String, password: String) {
        self.user = user
        self.password = password
    }
}

/// A server's demand for a login, as its 401 put it (RFC 9110 §11).
public struct AuthenticationChallenge: Hashable, Sendable, Codable {
    /// The kinds of login that are told to the app; others are left out.
    public enum Scheme: String, Hashable, Sendable, Codable {
        /// User and password, readable on the way (RFC 7617).
        case basic
        /// User and password, as a digest (RFC 7616).
        case digest
        /// A token, given as the header field `Authorization: Bearer …` (RFC 6750).
        case bearer
    }

    /// What kind of login it wants.
    public var scheme: Scheme
    /// What the login is for, in the server's words; nil where it has none.
    public var realm: String?
    /// `scheme://host:port` of who asks: a redirect may have led to another server than the transfer's URL names.
    public var origin: String
    /// Whether an earlier answer to that server was refused. One that was taken at first, and has expired since, was not.
    public var wasAnswered: Bool

    /// A challenge.
    public init(scheme: Scheme, realm: String?, origin: String, wasAnswered: Bool = false) {
        self.scheme = scheme
        self.realm = realm
        self.origin = origin
        self.wasAnswered = wasAnswered
    }
}

/// What an app says to a server's challenge.
public enum ChallengeAnswer: Hashable, Sendable, Codable {
    /// This user and password, for Basic or Digest.
    case credential(Credential)
    /// These header fields with every request to that server, such as `Authorization: Bearer …`.
    case headers([HeaderField])
    /// None: the server's 401 is its final answer.
    case refuse
}

/// A challenge's answer, kept for the rest of the transfer. A secret, like what it holds.
public struct AnsweredChallenge: Hashable, Sendable, Codable {
    /// `scheme://host:port` of the server that it is for; no other gets it.
    public var origin: String
    /// What the app said.
    public var answer: ChallengeAnswer
    /// How many bytes there were when it was said: where there are more by now, it was taken. Nil where nobody knows.
    public var bytes: Int64?

    /// An answer.
    public init(origin: String, answer: ChallengeAnswer, bytes: Int64? = nil) {
        self.origin = origin
        self.answer = answer
        self.bytes = bytes
    }
}
