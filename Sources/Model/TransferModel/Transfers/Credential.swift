// SPDX-License-Identifier: Apache-2.0

/// A user name and a password for a server.
///
/// A credential is a secret: it is never logged, and is removed from the store when the transfer ends.
///
/// ```swift
/// let credential = Credential(user: "ann", password: password)
/// ```
public struct Credential: Hashable, Sendable, Codable {
    /// The user name. Basic authentication does not permit a colon in the name.
    public var user: String
    /// The password.
    public var password: String

    /// Creates a credential.
    public init(user: String, password: String) {
        self.user = user
        self.password = password
    }
}

/// A server's request for a login, from its 401 response (RFC 9110 §11).
public struct AuthenticationChallenge: Hashable, Sendable, Codable {
    /// The authentication schemes that are passed to the app. Other schemes are left out.
    public enum Scheme: String, Hashable, Sendable, Codable {
        /// User name and password, readable in transit (RFC 7617).
        case basic
        /// User name and password, sent as a digest (RFC 7616).
        case digest
        /// A token, sent in the header field `Authorization: Bearer …` (RFC 6750).
        case bearer
    }

    /// The requested authentication scheme.
    public var scheme: Scheme
    /// The server's name for the protected area, or `nil` if the server gives none.
    public var realm: String?
    /// The server that requests the login, as `scheme://host:port`. After a redirect, it can differ from the
    /// transfer's URL.
    public var origin: String
    /// A Boolean value that indicates whether the server rejected earlier credentials.
    ///
    /// Credentials that the server accepted and that have since expired do not count as rejected.
    public var wasRefused: Bool

    private enum CodingKeys: String, CodingKey {
        case scheme, realm, origin
        case wasRefused = "wasAnswered"
    }

    /// Creates a challenge. By default, no earlier credentials were rejected.
    public init(scheme: Scheme, realm: String?, origin: String, wasRefused: Bool = false) {
        self.scheme = scheme
        self.realm = realm
        self.origin = origin
        self.wasRefused = wasRefused
    }
}

/// An app's response to a server's challenge.
public enum ChallengeResponse: Hashable, Sendable, Codable {
    /// A user name and a password, for Basic or Digest authentication.
    case credential(Credential)
    /// Header fields for every request to the server, such as `Authorization: Bearer …`.
    case headers([HeaderField])
    /// No response. The server's 401 response is final.
    case refuse
}

/// A response to a challenge, kept for the rest of the transfer. The response is a secret, like the credentials it
/// contains.
public struct StoredChallengeResponse: Hashable, Sendable, Codable {
    /// The server that gets the response, as `scheme://host:port`. No other server gets it.
    public var origin: String
    /// The app's response.
    public var answer: ChallengeResponse
    /// The number of bytes at the time of the response, or `nil` if unknown.
    ///
    /// If the transfer has more bytes now, the server accepted the response.
    public var bytes: Int64?

    /// Creates a response for the server at `origin`.
    public init(origin: String, answer: ChallengeResponse, bytes: Int64? = nil) {
        self.origin = origin
        self.answer = answer
        self.bytes = bytes
    }
}
