// SPDX-License-Identifier: Apache-2.0
internal import HTTPSyntax
internal import TransferModel

/// Provides the credentials that servers request.
///
/// Each origin receives only its own credentials. Each challenge receives credentials once. A new nonce receives
/// credentials only if the server accepted the previous credentials, or reports that the previous nonce was stale. At
/// most `maximumConsecutiveAttempts` attempts to log in follow each other without success.
///
/// The user and password of the transfer are sent without a challenge, as curl does: many servers answer 404 to strangers.
/// Credentials that an app has given for a challenge are sent without another one over HTTPS only: over HTTP, the server
/// may request a digest, and an eavesdropper must not have read them by then.
///
/// Cookies that responses set are credentials, too (N3).
struct Authenticator: Hashable, Sendable {
    /// The reaction to a 401 response.
    enum Decision: Hashable, Sendable {
        /// Send the request again, with credentials.
        case retry
        /// Ask the app for credentials for one of the challenges.
        case challengeApp([AuthenticationChallenge])
        /// Treat the 401 as the final response.
        case giveUp
    }

    private enum Scheme: Hashable, Sendable {
        case basic
        case digest(DigestChallenge, requests: Int)
    }

    private struct Origin: Hashable, Sendable {
        var answer: ChallengeResponse
        /// The authentication scheme for user and password. `nil` until the scheme is known.
        var scheme: Scheme?
        /// A Boolean value that indicates whether the server has accepted the latest credentials, that is, has replied
        /// with a status other than 401.
        var wasAccepted = false
        /// The number of attempts to log in since the server last accepted one.
        var consecutiveAttempts = 0
    }

    /// The maximum number of stale nonces in a row. A server that calls every nonce stale is not trusted.
    static let maximumConsecutiveAttempts = 3

    /// The cookies that the servers have set.
    var cookies = CookieJar()
    private var origins: [String: Origin] = [:]
    private let asksApp: Bool
    private let clientNonce: String

    init(_ logins: LoginPlan, url: String) {
        asksApp = logins.asksForCredentials
        clientNonce = logins.clientNonce
        let reference = URLReference(url)
        let own = logins.credential ?? reference.credential
        if let own { origins[reference.origin] = Origin(answer: .credential(own)) }
        for stored in logins.challengeResponses { origins[stored.origin] = Origin(answer: stored.answer) }
        for origin in origins.keys.sorted() {
            if case .credential(let credential)? = origins[origin]?.answer, Self.fitsBasic(credential),
                origin.hasPrefix("https:") || credential == own && origin == reference.origin
            {
                origins[origin]?.scheme = .basic
            }
        }
    }

    /// Returns the fields of a request, including the credentials and cookies for its server.
    mutating func adding(to fields: [HeaderField], url: String, method: String) -> [HeaderField] {
        let reference = URLReference(url)
        let fields = cookies.adding(to: fields, url: url)
        guard let known = origins[reference.origin] else { return fields }
        switch (known.answer, known.scheme) {
        case (.headers(let own), _):
            return fields.without(Set(own.map { $0.name.lowercased() })) + own
        case (.credential(let credential), .basic?):
            let token = Base64Bytes(Array("\(credential.user):\(credential.password)".utf8)).text
            return fields.without(["authorization"]) + [HeaderField(name: "Authorization", value: "Basic \(token)")]
        case (.credential(let credential), .digest(let challenge, let requests)?):
            origins[reference.origin]?.scheme = .digest(challenge, requests: requests + 1)
            let value = challenge.answer(
                credential, method: method, target: reference.target, clientNonce: clientNonce, count: requests + 1)
            return fields.without(["authorization"]) + [HeaderField(name: "Authorization", value: value)]
        case (.credential, nil), (.refuse, _):
            return fields
        }
    }

    /// Returns the nonce of the credentials for `url`, or `nil` if there is none.
    func nonce(for url: String) -> String? {
        switch origins[URLReference(url).origin]?.scheme {
        case .digest(let challenge, _): challenge.nonce
        case .basic, nil: nil
        }
    }

    /// Records that a server replied with a status other than 401.
    mutating func accepted(by url: String) {
        let origin = URLReference(url).origin
        origins[origin]?.wasAccepted = true
        origins[origin]?.consecutiveAttempts = 0
    }

    /// Decides how to react to a 401 response.
    mutating func refused(_ head: ResponseHead, url: String) -> Decision {
        let origin = URLReference(url).origin
        let challenges = ChallengeField.all(in: head.value("WWW-Authenticate") ?? "")
        if var known = origins[origin], Self.answer(challenges, &known) {
            origins[origin] = known
            return .retry
        }
        guard asksApp, origins[origin]?.answer != .refuse else { return .giveUp }
        let wasRefused =
            switch origins[origin]?.answer {
            // A token that the server accepted at first has expired.
            case .headers: origins[origin]?.wasAccepted == false
            case .credential: origins[origin]?.scheme != nil
            case .refuse, nil: false
            }
        var appChallenges: [AuthenticationChallenge] = []
        for challenge in challenges {
            guard let scheme = AuthenticationChallenge.Scheme(rawValue: challenge.scheme) else { continue }
            // A challenge with an unknown algorithm cannot be answered.
            if scheme == .digest, DigestChallenge(challenge) == nil { continue }
            let new = AuthenticationChallenge(
                scheme: scheme, realm: challenge.parameters["realm"], origin: origin, wasRefused: wasRefused)
            if !appChallenges.contains(new) { appChallenges.append(new) }
        }
        return appChallenges.isEmpty ? .giveUp : .challengeApp(appChallenges)
    }

    /// Updates `known` with credentials for the challenges. Returns `false` if the server has already refused all
    /// possible credentials.
    private static func answer(_ challenges: [ChallengeField], _ known: inout Origin) -> Bool {
        guard case .credential(let credential) = known.answer else { return false }
        if let digest = DigestChallenge.best(of: challenges) {
            if case .digest(let before, _) = known.scheme {
                guard digest.nonce != before.nonce, digest.isStale || known.wasAccepted else { return false }
            }
            guard known.consecutiveAttempts < maximumConsecutiveAttempts else { return false }
            known.scheme = .digest(digest, requests: 0)
        } else {
            // After a digest, the same credentials must not be sent in the clear.
            guard known.scheme == nil, fitsBasic(credential), challenges.contains(where: { $0.scheme == "basic" })
            else { return false }
            known.scheme = .basic
        }
        known.consecutiveAttempts += 1
        known.wasAccepted = false
        return true
    }

    /// Returns whether Basic authentication can carry the credential. The first colon ends the user name (RFC 7617
    /// §2).
    private static func fitsBasic(_ credential: Credential) -> Bool { !credential.user.contains(":") }
}

/// The credentials and answers for logins that are known before the first request: the input of `Authenticator`.
struct LoginPlan: Hashable, Sendable {
    /// The user and password for the URL's own server. Takes precedence over the user and password in the URL.
    var credential: Credential?
    /// The app's answers to the challenges of earlier attempts.
    var challengeResponses: [StoredChallengeResponse] = []
    /// A Boolean value that indicates whether the app is asked for missing credentials. The default is `false`.
    var asksForCredentials = false
    /// The client nonce for Digest logins: an unpredictable text. The default is empty, for plans without a login.
    var clientNonce = ""

    init() {}

    init(_ specification: TransferSpecification) {
        credential = specification.credential
        challengeResponses = specification.challengeResponses
        asksForCredentials = specification.asksForCredentials
        clientNonce = PartialFileState.token() + PartialFileState.token()
    }
}
