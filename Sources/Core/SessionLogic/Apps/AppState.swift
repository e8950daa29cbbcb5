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

    // MARK: Starting

    /// Starts the app, or waits before that; nothing while it is being started.
    mutating func start(
        _ app: String, for key: SessionKey, by registration: AppRegistration, at now: WallTime
    ) -> [SessionEffect] {
        guard phase == .idle else { return [] }
        if let pause = duePause {
            phase = .pausing
            return [.setTimer(.pause(app), pause)]
        }
        phase = .starting(key, .awaited)
        hasDealt = false
        launches += 1
        lastLaunch = now
        return [.noteRelaunch(app), .launch(app, registration, for: key)]
    }

    mutating func endLaunch(
        of app: String, _ outcome: LaunchOutcome, in sessions: [SessionKey: Session]
    ) -> [SessionEffect] {
        guard case .starting(let key, let arrival) = phase else { return [] }
        lastOutcome = outcome
        // Nobody is waited for who has come and gone.
        guard case .started(let process) = outcome, arrival != .gone, sessions[key]?.tasks.needsApp == true else {
            if case .started(let process) = outcome { self.process = process }
            endStart(for: sessions[key])
            return []
        }
        self.process = process
        phase = .patient(key)
        return [.setTimer(.patience(app), Self.patience)]
    }

    /// The start is over. If it came to nothing, the next one waits; an app that has dealt with something is started for
    /// the rest at once.
    private mutating func endStart(for session: Session?) {
        phase = .idle
        guard !hasDealt, let session, session.tasks.needsApp else { return }
        if session.audience.user == nil { failures += 1 }
        lengthenPause()
    }

    mutating func endPatience(of app: String, in sessions: [SessionKey: Session]) -> [SessionEffect] {
        guard case .patient(let key) = phase else { return [] }
        endStart(for: sessions[key])
        return [.cancelTimer(.patience(app))]
    }

    mutating func endPause() -> [SessionEffect] {
        guard phase == .pausing else { return [] }
        (phase, duePause) = (.idle, nil)
        return []
    }

    /// A process of the app has gone.
    mutating func leave(of app: String, _ sessions: [SessionKey: Session]) -> [SessionEffect] {
        if case .starting(let key, .here) = phase { phase = .starting(key, .gone) }
        return endPatience(of: app, in: sessions)
    }

    /// The app has dealt with an event of a session, or answered a question.
    mutating func deal(of app: String, in key: SessionKey, _ sessions: [SessionKey: Session]) -> [SessionEffect] {
        (hasDealt, duePause, lastPause) = (true, nil, nil)
        if phase == .pausing {
            phase = .idle
            return [.cancelTimer(.pause(app))]
        }
        return sessions[key]?.tasks.needsApp == true ? [] : endPatience(of: app, in: sessions)
    }

    /// Doubles the pause: the relaunch limiter's own delay may be over by then and begin anew, this one does not.
    private mutating func lengthenPause() {
        let pause = lastPause.map { min($0 * 2, Self.longestPause) } ?? Self.leastPause
        (duePause, lastPause) = (pause, pause)
    }
}
