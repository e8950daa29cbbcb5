// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The input of `Authenticator`, known before the first request.
struct LoginPlan: Hashable, Sendable {
    /// The user and password for the URL's own server. Takes precedence over the user and password in the URL.
    var credential: Credential?
    /// The app's answers to earlier challenges.
    var challengeResponses: [StoredChallengeResponse] = []
    /// A Boolean value that indicates whether the app is asked for missing credentials.
    var asksForCredentials = false
    /// The client nonce for Digest challenges, an unpredictable text.
    var clientNonce = ""

    init() {}

    init(_ specification: TransferSpecification) {
        credential = specification.credential
        challengeResponses = specification.challengeResponses
        asksForCredentials = specification.asksForCredentials
        clientNonce = PartialFileState.token() + PartialFileState.token()
    }
}
