// SPDX-License-Identifier: Apache-2.0

/// Tells one event of a session from every other; later ones have higher numbers.
package typealias EventNumber = Int64

/// Something that happened in a session, as its app is told.
package struct SessionEvent: Hashable, Sendable, Codable {
    package enum Kind: Hashable, Sendable, Codable {
        /// So many bytes of the body are on disk.
        case received(Int64, total: Int64?)
        case sent(Int64, total: Int64?)
        /// A partial file was continued.
        case continued(offset: Int64, total: Int64?)
        case responded(ResponseDescription)
        /// The finished file.
        case downloaded(path: String)
        /// A part of the answer to an upload.
        case body([UInt8])
        case completed(FailureDescription?)
        /// The date of a delayed task has come: is it to begin? Asked again of each process until one answers.
        case willBegin(RequestDescription)
        /// A server wants a login. Asked again of each process until one answers.
        case challenged(ChallengeDescription)
        /// The app runs in the background and the session has something to tell it, as if it had been started for that.
        case called
        /// All events that waited for the app have been told.
        case finishedEvents
        /// The other side is gone, or has ended the session.
        case invalidated(SessionRefusal?)
    }

    /// What it is acknowledged by; nil for what is not told again.
    package var number: EventNumber?
    /// Whose it is; nil for the session's own.
    package var task: Int?
    package var kind: Kind

    package init(number: EventNumber? = nil, task: Int? = nil, _ kind: Kind) {
        self.number = number
        self.task = task
        self.kind = kind
    }
}

/// A server's demand for a login.
package struct ChallengeDescription: Hashable, Sendable, Codable {
    /// `basic`, `digest`, or `bearer` where the session's app answers those.
    package var scheme: String
    package var realm: String?
    package var host: String
    package var port: Int
    package var isSecure: Bool
    /// How many answers it has refused.
    package var refusals: Int

    package init(scheme: String, realm: String?, host: String, port: Int, isSecure: Bool, refusals: Int) {
        self.scheme = scheme
        self.realm = realm
        self.host = host
        self.port = port
        self.isSecure = isSecure
        self.refusals = refusals
    }
}
