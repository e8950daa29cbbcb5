// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// What servers want to know about who asks, and what they are told.
///
/// Each origin gets only what was given for it. A challenge is answered once: with a nonce that has not been answered yet,
/// after the answer before was taken or the server says that only its nonce was too old, and never more than
/// `longestRow` times in a row. User and password go unasked over https only; over http the server may ask for a digest,
/// and whoever listens must not have read them by then.
struct Authenticator: Hashable, Sendable {
    /// What follows a 401.
    enum Decision: Hashable, Sendable {
        /// Ask the same again: there is an answer now.
        case askAgain
        /// The app has to answer one of these.
        case tell([AuthenticationChallenge])
        /// The 401 is the answer.
        case giveUp
    }

    private enum Scheme: Hashable, Sendable {
        case basic
        case digest(DigestChallenge, requests: Int)
    }

    private struct Origin: Hashable, Sendable {
        var answer: ChallengeAnswer
        /// How user and password are told; nil until it is known.
        var scheme: Scheme?
        /// Whether the server has answered otherwise than with 401 since.
        var wasTaken = false
        /// Answers since then.
        var row = 0
    }

    /// Stale nonces in a row: a server that calls every one stale is not believed.
    static let longestRow = 3

    private var origins: [String: Origin] = [:]
    private let asksApp: Bool
    private let clientNonce: String

    init(_ logins: LoginPlan, url: String) {
        asksApp = logins.asksForCredentials
        clientNonce = logins.clientNonce
        let reference = URLReference(url)
        if let credential = logins.credential ?? reference.userInfo.flatMap(Self.credential) {
            origins[reference.origin] = Origin(answer: .credential(credential))
        }
        for answered in logins.answeredChallenges { origins[answered.origin] = Origin(answer: answered.answer) }
        for origin in origins.keys.sorted() where origin.hasPrefix("https:") {
            if case .credential(let credential)? = origins[origin]?.answer, Self.fitsBasic(credential) {
                origins[origin]?.scheme = .basic
            }
        }
    }

    /// The fields of a request with what its server is told.
    mutating func adding(to fields: [HeaderField], url: String, method: String) -> [HeaderField] {
        let reference = URLReference(url)
        guard let known = origins[reference.origin] else { return fields }
        switch (known.answer, known.scheme) {
        case (.headers(let own), _):
            return fields.without(Set(own.map { $0.name.lowercased() })) + own
        case (.credential(let credential), .basic?):
            let token = Base64.encode(Array("\(credential.user):\(credential.password)".utf8))
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

    /// The nonce that a request to that URL is answered with now; nil where there is none.
    func nonce(for url: String) -> String? {
        switch origins[URLReference(url).origin]?.scheme {
        case .digest(let challenge, _): challenge.nonce
        case .basic, nil: nil
        }
    }

    /// A server answered otherwise than with 401.
    mutating func taken(by url: String) {
        let origin = URLReference(url).origin
        origins[origin]?.wasTaken = true
        origins[origin]?.row = 0
    }

    /// A server answered 401.
    mutating func refused(_ head: ResponseHead, url: String) -> Decision {
        let origin = URLReference(url).origin
        let challenges = ChallengeField.all(in: head.value("WWW-Authenticate") ?? "")
        if var known = origins[origin], Self.answer(challenges, &known) {
            origins[origin] = known
            return .askAgain
        }
        guard asksApp, origins[origin]?.answer != .refuse else { return .giveUp }
        let wasAnswered =
            switch origins[origin]?.answer {
            // A token that was taken at first has expired.
            case .headers: origins[origin]?.wasTaken == false
            case .credential: origins[origin]?.scheme != nil
            case .refuse, nil: false
            }
        var told: [AuthenticationChallenge] = []
        for challenge in challenges {
            guard let scheme = AuthenticationChallenge.Scheme(rawValue: challenge.scheme) else { continue }
            // One whose algorithm nobody here knows could not be answered.
            if scheme == .digest, DigestChallenge(challenge) == nil { continue }
            let new = AuthenticationChallenge(
                scheme: scheme, realm: challenge.parameters["realm"], origin: origin, wasAnswered: wasAnswered)
            if !told.contains(new) { told.append(new) }
        }
        return told.isEmpty ? .giveUp : .tell(told)
    }

    /// Whether there is an answer that has not been refused.
    private static func answer(_ challenges: [ChallengeField], _ known: inout Origin) -> Bool {
        guard case .credential(let credential) = known.answer else { return false }
        if let digest = DigestChallenge.best(of: challenges) {
            if case .digest(let before, _) = known.scheme {
                guard digest.nonce != before.nonce, digest.isStale || known.wasTaken else { return false }
            }
            guard known.row < longestRow else { return false }
            known.scheme = .digest(digest, requests: 0)
        } else {
            // After a digest the same in clear is not given away.
            guard known.scheme == nil, fitsBasic(credential), challenges.contains(where: { $0.scheme == "basic" })
            else { return false }
            known.scheme = .basic
        }
        known.row += 1
        known.wasTaken = false
        return true
    }

    /// The first colon ends the name (RFC 7617 §2).
    private static func fitsBasic(_ credential: Credential) -> Bool { !credential.user.contains(":") }

    /// `user:password` as a URL has it.
    private static func credential(_ userInfo: String) -> Credential? {
        let parts = userInfo.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        func text(_ part: Substring?) -> String? {
            part.map { String(decoding: PercentCoding.decode($0), as: UTF8.self) }
        }
        guard let user = text(parts.first) else { return nil }
        return Credential(user: user, password: text(parts.dropFirst().first) ?? "")
    }
}
