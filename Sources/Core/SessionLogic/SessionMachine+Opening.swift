// SPDX-License-Identifier: Apache-2.0
import TransferModel

/// Processes that come and go.
extension SessionMachine {
    mutating func open(_ key: SessionKey, by user: SessionUser) {
        noteOpening(by: user)
        sessions[key]?.user = user
        tellWaiting(in: key)
    }

    mutating func tell(_ event: SessionEvent, in key: SessionKey) {
        if sessions[key]?.user != nil { effects.append(.tell(key, event)) }
    }

    /// Tells the process that has the session everything that waits for it.
    private mutating func tellWaiting(in key: SessionKey) {
        guard let session = sessions[key] else { return }
        for event in session.waiting { tell(event, in: key) }
        if session.hasWaiting || !session.ends.isEmpty { tellFinished(in: key) }
    }

    mutating func tellFinished(in key: SessionKey) {
        sessions[key]?.hasWaiting = false
        tell(SessionEvent(.finishedEvents), in: key)
    }

    /// Tells a process once more all that waits for it, since it may have missed some: it knows what has a number.
    mutating func tellAgain(_ name: String, in key: SessionKey) {
        guard let session = sessions[key], session.user?.name == name else { return }
        if isBehind(key), session.needsApp { tell(SessionEvent(.called), in: key) }
        tellWaiting(in: key)
    }

    /// A process has done with a session, or is gone.
    mutating func leave(_ key: SessionKey, _ name: String, isGone: Bool) {
        guard let session = sessions[key], let user = session.user, user.name == name else { return }
        sessions[key]?.user = nil
        if isGone, !session.ends.isEmpty || !session.asked.isEmpty { sessions[key]?.hasWaiting = true }
        // A question that nobody can be started for would wait for ever.
        if !session.allowsLaunch { for number in session.asked.sorted() { letBegin(number, in: key) } }
        if isGone, user.app == key.app { noteLeaving(of: key.app) }
        abandonIfIdle(key.app)
    }
}
