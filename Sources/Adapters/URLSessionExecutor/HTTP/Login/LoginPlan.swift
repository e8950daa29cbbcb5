// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// What the deciding code needs to know before the first request to answer servers that want a login.
struct LoginPlan: Hashable, Sendable {
    /// User and password for the URL's own server, before those in the URL.
    var credential: Credential?
    /// What the app said to challenges so far.
    var answeredChallenges: [AnsweredChallenge] = []
    /// Whether a challenge that cannot be answered is the app's affair.
    var asksForCredentials = false
    /// Text that nobody can foresee, for answers to Digest challenges.
    var clientNonce = ""

    init() {}

    init(_ specification: TransferSpecification) {
        credential = specification.credential
        answeredChallenges = specification.answeredChallenges
        asksForCredentials = specification.asksForCredentials
        clientNonce = PartialPlace.token() + PartialPlace.token()
    }
}
