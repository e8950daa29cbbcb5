// SPDX-License-Identifier: Apache-2.0
internal import TransferFiles
internal import TransferModel

/// A Digest challenge and the computation of its response (RFC 7616).
///
/// Supports MD5 and SHA-256, each also as `-sess`. Supports `qop=auth`, and challenges of old servers without `qop`
/// (RFC 2069).
struct DigestChallenge: Hashable, Sendable {
    private enum Algorithm: Hashable, Sendable { case md5, sha256 }
    private var algorithm: Algorithm
    private var isSession: Bool
    /// The algorithm in the server's spelling, or `nil` if the server named none.
    private var algorithmName: String?
    private var realm: String
    private var opaque: String?
    private var hasQuality: Bool
    var nonce: String
    /// A Boolean value that indicates whether only the nonce was too old. User and password were correct.
    var isStale: Bool

    /// Creates a Digest challenge.
    ///
    /// Returns `nil` for another scheme, an unknown algorithm, an unknown quality, or a challenge without a nonce.
    init?(_ challenge: ChallengeField) {
        let parameters = challenge.parameters
        guard challenge.scheme == "digest", let nonce = parameters["nonce"], !nonce.isEmpty else { return nil }
        switch parameters["algorithm"]?.lowercased() {
        case nil, "md5": (algorithm, isSession) = (.md5, false)
        case "md5-sess": (algorithm, isSession) = (.md5, true)
        case "sha-256": (algorithm, isSession) = (.sha256, false)
        case "sha-256-sess": (algorithm, isSession) = (.sha256, true)
        default: return nil
        }
        guard algorithm == .sha256 || Digest.Function.md5.isAvailable else { return nil }
        if let offered = parameters["qop"] {
            let words = offered.lowercased().split { $0 == "," || $0.isWhitespace }
            guard words.contains("auth") else { return nil }
        }
        hasQuality = parameters["qop"] != nil
        algorithmName = parameters["algorithm"]
        realm = parameters["realm"] ?? ""
        opaque = parameters["opaque"]
        self.nonce = nonce
        isStale = parameters["stale"]?.lowercased() == "true"
    }

    /// Returns the strongest supported challenge.
    static func best(of challenges: [ChallengeField]) -> DigestChallenge? {
        let known = challenges.compactMap { DigestChallenge($0) }
        return known.first { $0.algorithm == .sha256 } ?? known.first
    }

    /// Returns the value of `Authorization` for a request.
    ///
    /// - Parameters:
    ///   - credential: The user and the password.
    ///   - method: The method of the request.
    ///   - target: The path and query of the request.
    ///   - clientNonce: Unpredictable text without quotes.
    ///   - count: The number of requests that have used this nonce, including this request.
    func answer(
        _ credential: Credential, method: String, target: String, clientNonce: String, count: Int
    ) -> String {
        let digits = String(count, radix: 16)
        let counter = String(repeating: "0", count: max(0, 8 - digits.count)) + digits
        var secret = hash("\(credential.user):\(realm):\(credential.password)")
        if isSession { secret = hash("\(secret):\(nonce):\(clientNonce)") }
        let request = hash("\(method):\(target)")
        let middle = hasQuality ? "\(nonce):\(counter):\(clientNonce):auth" : nonce
        var components = [
            Self.user(credential.user), "realm=\(Self.quoted(realm))", "nonce=\(Self.quoted(nonce))",
            "uri=\(Self.quoted(target))", "response=\"\(hash("\(secret):\(middle):\(request)"))\"",
        ]
        if let algorithmName { components.append("algorithm=\(algorithmName)") }
        if hasQuality { components.append("qop=auth, nc=\(counter)") }
        if hasQuality || isSession { components.append("cnonce=\"\(clientNonce)\"") }
        if let opaque { components.append("opaque=\(Self.quoted(opaque))") }
        return "Digest " + components.joined(separator: ", ")
    }

    private func hash(_ text: String) -> String {
        switch algorithm {
        case .md5: Digest.hex(.md5, of: text)
        case .sha256: Digest.hex(.sha256, of: text)
        }
    }

    /// Returns the user name as a parameter. A name that does not fit in a quoted string is encoded according to RFC
    /// 8187.
    private static func user(_ name: String) -> String {
        if name.utf8.allSatisfy({ $0 >= 32 && $0 < 127 }) { return "username=\(quoted(name))" }
        let digits = Array("0123456789ABCDEF")
        let escaped = name.utf8.map { byte in
            let scalar = Unicode.Scalar(byte)
            let isPlain = byte < 128 && (scalar.properties.isAlphabetic || (48...57).contains(byte))
            return isPlain ? String(scalar) : "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
        }
        return "username*=UTF-8''" + escaped.joined()
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "\""
    }
}
