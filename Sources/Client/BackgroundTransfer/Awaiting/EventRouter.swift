// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import TransferModel

/// The router of a session's events: the events of named transfers go to their waiters, and all others to the reader of
/// the session's events.
///
/// The router reads the events itself, so that waiters receive theirs even if the program reads none.
final class EventRouter: Sendable {
    /// The events for the program. They wait until the program reads them.
    let events: AsyncStream<SessionEvent>
    private let continuation: AsyncStream<SessionEvent>.Continuation

    init() { (events, continuation) = AsyncStream.makeStream() }

    /// Starts to route the events of a session. The router stops with the session's last event, or when the session is
    /// released.
    func route(_ source: AsyncStream<SessionEvent>, of session: BackgroundSession) {
        let continuation = continuation
        // The task ends with the stream. No caller could wait for its end.
        Task { [weak session] in
            var (hasNamedEvents, hasOtherEvents) = (false, false)
            var error = SessionError(code: .invalidated, message: "The background session has ended.")
            for await event in source {
                guard let session else { break }
                if session.names.handle(event, of: session) {
                    hasNamedEvents = true
                    continue
                }
                if case .invalidated(let refusal?) = event.kind { error = SessionError(refusal) }
                if case .finishedEvents = event.kind, hasNamedEvents, !hasOtherEvents {
                    Self.finishEvents(of: session)
                }
                hasOtherEvents = hasOtherEvents || event.task != nil
                continuation.yield(event)
            }
            session?.names.end(TransferError(error))
            continuation.finish()
        }
    }

    /// Records that a session's waiting events are handled, because all of them belonged to named transfers. A program
    /// that reads no events could not end otherwise.
    private static func finishEvents(of session: BackgroundSession) {
        Task {
            await session.waitForHandler()
            EventInHand(of: session.configuration.identifier, isLast: true, in: session.application).end()
        }
    }
}

/// The folder for the files of named transfers in a sandbox, where the daemon's folders cannot be reached.
enum SandboxFolder {
    /// Returns the folder of a session in the sandbox's own cache folder. `nil` outside a sandbox.
    static func namedFiles(of configuration: BackgroundSessionConfiguration) -> String? {
        guard FileManager.default.fileExists(atPath: "/.flatpak-info"),
            let cache = ProcessInfo.processInfo.environment["XDG_CACHE_HOME"], cache.hasPrefix("/")
        else { return nil }
        return "\(cache)/background-transfer/named/\(NamedFiles.fileName(configuration.identifier))"
    }
}
