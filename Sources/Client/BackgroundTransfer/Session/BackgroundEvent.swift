// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import FoundationNetworking
internal import TransferModel

/// An event of a background session. The event may have happened while this program was not running.
///
/// Acknowledge every event after the program has handled the event:
///
/// ```swift
/// for await event in session.events {
///     if case .completed(let task, let error) = event.kind { finish(task, error) }
///     event.acknowledge()
/// }
/// ```
public struct BackgroundEvent: Sendable {
    /// The kinds of event.
    public enum Kind: Sendable {
        /// The number of bytes of a download that are on disk, and the total if it is known. Reported a few times a
        /// second at most.
        case received(BackgroundTask, bytes: Int64, total: Int64?)
        /// The number of bytes of an upload that were sent, and the total if it is known.
        case sent(BackgroundTask, bytes: Int64, total: Int64?)
        /// A download continues from the given offset, where it had stopped.
        case continued(BackgroundTask, offset: Int64, total: Int64?)
        /// The server has responded.
        case responded(BackgroundTask, HTTPURLResponse)
        /// A download is complete. The file exists until the event is acknowledged: move or open the file before
        /// that.
        case downloaded(BackgroundTask, URL)
        /// A part of the server's response body to an upload.
        case body(BackgroundTask, Data)
        /// The ``BackgroundTask/earliestBeginDate`` of a task has come. Call ``BackgroundTask/begin(with:)`` or
        /// cancel the task.
        ///
        /// If the program acknowledges the event without doing either, the task begins. The session then neither
        /// reports this event nor starts the program for delayed tasks again.
        case willBegin(BackgroundTask, URLRequest)
        /// A server requires authentication. Call ``BackgroundTask/answer(user:password:)`` or cancel the task.
        ///
        /// If the program acknowledges the event without doing either, the server's refusal becomes the response of
        /// the task.
        case challenged(BackgroundTask, BackgroundChallenge)
        /// The last event of a task. The error is `nil` if the server responded, regardless of the status code.
        case completed(BackgroundTask, URLError?)
        /// Every event that had waited for this program has been reported.
        case finishedEvents
        /// The last event of the session. The session was invalidated, or its service is no longer available.
        case invalidated(SessionError?)
    }

    /// The kind of event, with its task and values.
    public let kind: Kind
    private let acknowledgement: (@Sendable () -> Void)?
    /// The record that keeps the program running until the event has been handled.
    var inHand: EventInHand?

    init(_ kind: Kind, acknowledgement: (@Sendable () -> Void)?) {
        self.kind = kind
        self.acknowledgement = acknowledgement
    }

    /// Marks the event as handled, so that the session does not report the event again.
    ///
    /// An event that is never acknowledged is reported again at the next start of the program.
    public func acknowledge() {
        acknowledgement?()
        inHand?.end()
    }
}

/// A server's request for authentication.
public struct BackgroundChallenge: Hashable, Sendable {
    /// The authentication schemes that a session reports.
    public enum Scheme: String, Hashable, Sendable {
        /// A user name and a password. Both are readable in transit unless the connection uses https.
        case basic
        /// A user name and a password, sent as a digest.
        case digest
        /// A token. Reported only if ``BackgroundSessionConfiguration/answersBearerChallenges`` is true.
        case bearer
    }

    /// The authentication scheme that the server requires.
    public var scheme: Scheme
    /// The realm that the server names: the area that the credentials are for.
    public var realm: String?
    /// The host that requires authentication. After a redirect, the host may differ from the host of the task's
    /// request.
    public var host: String
    /// The port of ``host``.
    public var port: Int
    /// A Boolean value that indicates whether the server is reached over https.
    public var isSecure: Bool
    /// The number of replies that the server has refused. A reply that the server accepted and that has since expired
    /// does not count.
    public var refusals: Int
}

/// The events of a background session, in order. The sequence supports a single reader.
public struct BackgroundEvents: AsyncSequence, Sendable {
    let session: BackgroundSession
    let events: AsyncStream<SessionEvent>

    /// Returns an iterator over the events. Only one iterator may be in use at a time.
    public func makeAsyncIterator() -> Iterator {
        Iterator(session: session, events: events.makeAsyncIterator())
    }

    /// The iterator of a ``BackgroundEvents`` sequence.
    public struct Iterator: AsyncIteratorProtocol {
        let session: BackgroundSession
        var events: AsyncStream<SessionEvent>.Iterator
        private var isFinished = false

        init(session: BackgroundSession, events: AsyncStream<SessionEvent>.Iterator) {
            self.session = session
            self.events = events
        }

        /// Returns the next event, or `nil` after ``BackgroundEvent/Kind/invalidated(_:)``.
        public mutating func next() async -> BackgroundEvent? {
            while !isFinished {
                guard let event = await events.next() else { return end(nil) }
                if case .invalidated(let error) = event.kind { return end(error.map(SessionError.init)) }
                await session.waitForHandler()
                if let convertedEvent = session.report(event) { return convertedEvent }
            }
            return nil
        }

        private mutating func end(_ error: SessionError?) -> BackgroundEvent? {
            isFinished = true
            var event = BackgroundEvent(.invalidated(error), acknowledgement: nil)
            // The program does not exit before it has handled this event, even if it has nothing else to do.
            event.inHand = EventInHand(
                of: session.configuration.identifier, isLast: false, in: session.application)
            session.ended()
            return event
        }
    }
}

extension BackgroundChallenge {
    /// Creates a challenge from its description. Returns `nil` if the scheme is unknown here.
    init?(_ description: ChallengeDescription) {
        guard let scheme = Scheme(rawValue: description.scheme) else { return nil }
        self.init(
            scheme: scheme, realm: description.realm, host: description.host, port: description.port,
            isSecure: description.isSecure, refusals: description.refusals)
    }
}
