// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import FoundationNetworking
internal import TransferModel

/// Something that happened in a background session, perhaps while this program did not run.
public struct BackgroundEvent: Sendable {
    /// What happened.
    public enum Kind: Sendable {
        /// So many bytes of a download are on disk, of how many where that is known. A few times a second at most.
        case received(BackgroundTask, bytes: Int64, total: Int64?)
        /// So many bytes of an upload were sent.
        case sent(BackgroundTask, bytes: Int64, total: Int64?)
        /// A download goes on where it had stopped.
        case continued(BackgroundTask, offset: Int64, total: Int64?)
        /// The server has answered.
        case responded(BackgroundTask, HTTPURLResponse)
        /// The file is there until the event is acknowledged: move it, or open it, before that.
        case downloaded(BackgroundTask, URL)
        /// A part of the server's answer to an upload.
        case body(BackgroundTask, Data)
        /// The date of a task with ``BackgroundTask/earliestBeginDate`` has come: say ``BackgroundTask/begin(with:)`` or cancel
        /// it. Acknowledged without that it begins, and the program is not asked again, nor started, for such tasks.
        case willBegin(BackgroundTask, URLRequest)
        /// A server wants a login: say ``BackgroundTask/answer(user:password:)``, or cancel the task. Acknowledged without
        /// that, the server's refusal is its answer.
        case challenged(BackgroundTask, BackgroundChallenge)
        /// A task's last event. The error is nil where the server answered, whatever the status.
        case completed(BackgroundTask, URLError?)
        /// All that had waited for this program has been told.
        case finishedEvents
        /// The session's last event: it was invalidated, or nobody carries it out any more.
        case invalidated(SessionError?)
    }

    /// What happened.
    public let kind: Kind
    private let acknowledgement: (@Sendable () -> Void)?

    init(_ kind: Kind, acknowledgement: (@Sendable () -> Void)?) {
        self.kind = kind
        self.acknowledgement = acknowledgement
    }

    /// The program has dealt with it: it will not be told again. Without this it is told once more at the next start.
    public func acknowledge() { acknowledgement?() }
}

/// A server's demand for a login.
public struct BackgroundChallenge: Hashable, Sendable {
    /// The ways to log in that are told.
    public enum Scheme: String, Hashable, Sendable {
        /// User and password, readable on the way but for https.
        case basic
        /// User and password, as a digest.
        case digest
        /// A token; told where ``BackgroundSessionConfiguration/answersBearerChallenges`` is true.
        case bearer
    }

    /// How the server wants it.
    public var scheme: Scheme
    /// What the login is for, in the server's words.
    public var realm: String?
    /// Which server asks: a redirect may have led to another than the task's.
    public var host: String
    /// Its port.
    public var port: Int
    /// Whether it is asked over https.
    public var isSecure: Bool
    /// How many answers it has refused; one that it took at first, and that has expired since, does not count.
    public var refusals: Int
}

/// The events of a background session in their order, for one reader.
public struct BackgroundEvents: AsyncSequence, Sendable {
    let session: BackgroundSession
    let events: AsyncStream<SessionEvent>

    /// Reads them.
    public func makeAsyncIterator() -> Iterator {
        Iterator(session: session, events: events.makeAsyncIterator())
    }

    /// Reads a session's events.
    public struct Iterator: AsyncIteratorProtocol {
        let session: BackgroundSession
        var events: AsyncStream<SessionEvent>.Iterator
        private var isOver = false

        init(session: BackgroundSession, events: AsyncStream<SessionEvent>.Iterator) {
            self.session = session
            self.events = events
        }

        /// The next event; nil after `invalidated`.
        public mutating func next() async -> BackgroundEvent? {
            while !isOver {
                guard let event = await events.next() else { return end(nil) }
                if case .invalidated(let error) = event.kind { return end(error.map(SessionError.init)) }
                if let told = session.take(event) { return told }
            }
            return nil
        }

        private mutating func end(_ error: SessionError?) -> BackgroundEvent? {
            isOver = true
            session.ended()
            return BackgroundEvent(.invalidated(error), acknowledgement: nil)
        }
    }
}
