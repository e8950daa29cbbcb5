// SPDX-License-Identifier: Apache-2.0

/// The unique number of an event within its session. Later events have higher numbers.
package typealias EventNumber = Int64

/// An event of a session, as delivered to the session's app.
package struct SessionEvent: Hashable, Sendable, Codable {
    package enum Kind: Hashable, Sendable, Codable {
        /// The number of body bytes on disk, and the total if known.
        case received(Int64, total: Int64?)
        case sent(Int64, total: Int64?)
        /// A partial file was continued from `offset`.
        case continued(offset: Int64, total: Int64?)
        case responded(ResponseDescription)
        /// The download has finished, and its file is at `path`.
        case downloaded(path: String)
        /// A part of the server's response body to an upload.
        case body([UInt8])
        case completed(FailureDescription?)
        /// The date of a delayed task has come, and the app decides whether the task begins. Each new process gets the
        /// event until one process replies.
        case willBegin(RequestDescription)
        /// A server requires a login. Each new process gets the event until one process replies.
        case challenged(ChallengeDescription)
        /// The session has events for an app in the background, as if the app had been launched for them.
        case called
        /// All waiting events have been delivered to the app.
        case finishedEvents
        /// The daemon is gone or has ended the session.
        case invalidated(SessionRefusal?)
    }

    /// The number that acknowledges the event, or `nil` for an event that is not delivered again.
    package var number: EventNumber?
    /// The identifier of the task, or `nil` for an event of the session itself.
    package var task: Int?
    package var kind: Kind

    package init(number: EventNumber? = nil, task: Int? = nil, _ kind: Kind) {
        self.number = number
        self.task = task
        self.kind = kind
    }
}

extension SessionEvent {
    /// The event without the body of a request. See ``TaskSnapshot/withoutBody``.
    package var withoutBody: SessionEvent {
        guard case .willBegin(var request) = kind, request.body != nil else { return self }
        request.body = nil
        return SessionEvent(number: number, task: task, .willBegin(request))
    }
}

/// A server's request for a login.
package struct ChallengeDescription: Hashable, Sendable, Codable {
    /// The authentication scheme: `basic`, `digest`, or, if the session's app responds to such challenges, `bearer`.
    package var scheme: String
    package var realm: String?
    package var host: String
    package var port: Int
    package var isSecure: Bool
    /// The number of credentials that the server has rejected.
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
