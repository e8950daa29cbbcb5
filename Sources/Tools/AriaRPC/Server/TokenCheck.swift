// SPDX-License-Identifier: Apache-2.0

/// The token that calls must contain.
///
/// A right token is recognized at once. The answer to a wrong one is delayed by ``ConnectionSlots``, so that a wrong
/// token costs only the connection that sent it. The delay tells an attacker nothing that the answer does not say.
struct TokenCheck: Sendable {
    private let token: [UInt8]

    /// Creates a check of the right token.
    init(_ token: String) { self.token = Array(token.utf8) }

    /// Returns whether a token is right, in a time that does not depend on where it differs.
    func isRight(_ candidate: String) -> Bool {
        let candidate = Array(candidate.utf8)
        guard candidate.count == token.count else { return false }
        return zip(candidate, token).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
