// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// A record of a reported event that the program has neither handled nor dropped.
///
/// A program that was started for its events does not end while a record is unfinished.
final class EventInHand: Sendable {
    private let application: BackgroundApplication
    private let session: String
    private let isLast: Bool
    private let isEnded = Mutex(false)

    /// Creates a record of an event.
    ///
    /// - Parameters:
    ///   - session: The session that reports the event.
    ///   - isLast: Whether the event is the last of the session's waiting events.
    init(of session: String, isLast: Bool, in application: BackgroundApplication) {
        self.application = application
        self.session = session
        self.isLast = isLast
        application.deliver { $0.beginEvent() }
    }

    deinit { end() }

    /// Records that the program has handled the event. Only the first call has an effect.
    func end() {
        let isFirst = isEnded.withLock { ended in
            defer { ended = true }
            return !ended
        }
        if isFirst { application.deliver { $0.endEvent(lastOf: isLast ? session : nil) } }
    }
}
