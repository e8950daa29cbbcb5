// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The input of `Authenticator`, known before the first request.
struct LoginPlan: Hashable, Sendable {
    /// The user and password for the URL's own server. Takes precedence over the user and password in the URL.
    var credential: Credential?
    /// The app's answers to earlier challenges.
    var answeredChallenges: [AnsweredChallenge] = []
    /// A Boolean value that indicates whether the app is asked about challenges that cannot be answered.
    var asksForCredentials = false
    /// Unpredictable text for answers to Digest challenges.
    var clientNonce = ""

    init() {}

    init(_ specification: TransferSpecification) {
        credential = specification.credential
        answeredChallenges = specification.answeredChallenges
        asksForCredentials = specification.asksForCredentials
        clientNonce = PartialPlace.token() + PartialPlace.token()
    }
}
