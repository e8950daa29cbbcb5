// SPDX-License-Identifier: Apache-2.0
import CHostileServer
import Foundation
import Synchronization

/// A guard that admits only requests with a correct Digest response (RFC 7616).
///
/// The code is independent of the client under test.
public final class DigestGuard: Sendable {
    private struct State: Sendable {
        var nonces: [String: Int] = [:]
        var counts: [String: Set<String>] = [:]
        var refusals = 0
    }

    private let user: String
    private let password: String
    private let algorithm: String
    private let requestsPerNonce: Int
    private let state = Mutex(State())
    private let realm = "a \\\"quoted\\\", realm"

    /// Creates a guard that knows one user.
    ///
    /// - Parameters:
    ///   - algorithm: `MD5` or `SHA-256`, with or without `-sess`.
    ///   - requestsPerNonce: The number of requests for which a nonce is valid.
    public init(user: String, password: String, algorithm: String = "MD5", requestsPerNonce: Int = .max) {
        self.user = user
        self.password = password
        self.algorithm = algorithm
        self.requestsPerNonce = requestsPerNonce
    }

    /// The number of requests refused.
    public var refusals: Int { state.withLock(\.refusals) }

    /// Checks the credentials of a request, and sends a challenge if they are missing or wrong.
    ///
    /// - Returns: `true` if the request is admitted.
    public func admits(_ request: HostileRequest, _ connection: HostileConnection) -> Bool {
        if let field = request.value("Authorization"), isRight(field, request) { return true }
        let nonce = state.withLock { state -> String in
            state.refusals += 1
            let nonce = "nonce-\(state.refusals)"
            state.nonces[nonce] = 0
            return nonce
        }
        var challenge = "Digest realm=\"\(realm)\", nonce=\"\(nonce)\", opaque=\"o,p\", algorithm=\(algorithm)"
        challenge += ", qop=\"auth,auth-int\""
        // Only a client that knows the password learns that its nonce is stale.
        if hasRightPassword(request) { challenge += ", stale=TRUE" }
        connection.respond(
            "401 Unauthorized", ["WWW-Authenticate: \(challenge)"], body: Array("who are you?".utf8))
        return false
    }

    private func hasRightPassword(_ request: HostileRequest) -> Bool {
        guard let field = request.value("Authorization") else { return false }
        let values = Self.values(field)
        return values["response"] == response(values, request)
    }

    private func isRight(_ field: String, _ request: HostileRequest) -> Bool {
        let values = Self.values(field)
        guard field.hasPrefix("Digest "), values["uri"] == request.target, values["opaque"] == "o,p",
            values["username"] == user, values["realm"] == "a \"quoted\", realm", let nonce = values["nonce"],
            values["response"] == response(values, request)
        else { return false }
        return state.withLock { state in
            guard let used = state.nonces[nonce], used < requestsPerNonce else { return false }
            state.nonces[nonce] = used + 1
            // A repeated nonce count indicates a replay.
            return state.counts[nonce, default: []].insert(values["nc"] ?? "").inserted
        }
    }

    private func response(_ values: [String: String], _ request: HostileRequest) -> String {
        func value(_ name: String) -> String { values[name] ?? "" }
        var first = hash("\(user):a \"quoted\", realm:\(password)")
        if algorithm.hasSuffix("-sess") { first = hash("\(first):\(value("nonce")):\(value("cnonce"))") }
        let second = hash("\(request.method):\(value("uri"))")
        return hash(
            [first, value("nonce"), value("nc"), value("cnonce"), value("qop"), second].joined(separator: ":"))
    }

    private func hash(_ text: String) -> String {
        let function = algorithm.hasPrefix("MD5") ? "MD5" : "SHA256"
        let digest = [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { buffer, initializedCount in
            _ = EVP_Q_digest(nil, function, nil, text, text.utf8.count, buffer.baseAddress, &initializedCount)
        }
        return digest.map { String(format: "%02x", $0) }.joined()
    }

    private static func values(_ field: String) -> [String: String] {
        var values: [String: String] = [:]
        let pattern = #/([a-z*]+)=(?:"((?:[^"\\]|\\.)*)"|([^,\s]+))/#
        for match in field.matches(of: pattern) {
            let quoted = match.output.2.map { String($0).replacing(#/\\(.)/#) { String($0.output.1) } }
            values[String(match.output.1)] = quoted ?? match.output.3.map(String.init)
        }
        return values
    }
}
