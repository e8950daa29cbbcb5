// SPDX-License-Identifier: Apache-2.0
import TransferModel

/// An app as it stands: whether a person works with it, and how far its start is.
struct AppState: Sendable {
    /// How far the start of an app is.
    enum Phase: Hashable {
        /// Nobody starts it.
        case idle
        /// It is being started for a session.
        case starting(SessionKey, Arrival)
        /// It was started and has some time to deal with the session.
        case patient(SessionKey)
        /// The last start came to nothing: the next one waits.
        case pausing
    }

    /// The process of an app that is being started.
    enum Arrival: Hashable {
        case awaited
        case here
        case gone
    }

    /// How long an app that was started has for its session, before it is started again.
    static let patience = Duration.seconds(30)
    /// The pause after a start that came to nothing: the relaunch limiter's first delay, and its longest.
    static let leastPause = Duration.seconds(60)
    static let longestPause = Duration.seconds(6 * 3600)

    /// Whether a person works with it, as far as it says.
    var saysInFront = true
    /// What the desktop tells of its windows, which counts for more; nil where it tells nothing.
    var window: WindowFocus?
    var phase = Phase.idle
    /// Whether it has dealt with anything since it was started.
    var hasDealt = false
    /// The pause before its next start, where the last one came to nothing.
    var duePause: Duration?
    /// The last such pause; nil once it has dealt with something.
    var lastPause: Duration?
    /// The process that was started last.
    var process: Int32?
    var launches = 0
    /// How often it was called while it ran in the background.
    var calls = 0
    var failures = 0
    var lastLaunch: WallTime?
    var lastOutcome: LaunchOutcome?

    var isInFront: Bool { window.map { $0 == .focused } ?? saysInFront }

    /// Whether a process that comes now is the one that was started, or its child: a script's programs are the same app.
    func isStarted(_ user: SessionUser) -> Bool {
        let isExpected =
            switch phase {
            case .starting: true
            // Where the process is known, no other one was started.
            case .patient: process == nil
            case .idle, .pausing: false
            }
        return isExpected || user.isLaunched || [user.process, user.leader].contains(process ?? -1)
    }

    /// Doubles the pause: the relaunch limiter's own delay may be over by then and begin anew, this one does not.
    mutating func lengthenPause() {
        let pause = lastPause.map { min($0 * 2, Self.longestPause) } ?? Self.leastPause
        (duePause, lastPause) = (pause, pause)
    }
}
