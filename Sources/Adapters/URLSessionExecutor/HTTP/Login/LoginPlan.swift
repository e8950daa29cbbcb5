// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

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
