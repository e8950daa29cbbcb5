// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// The state of an app: whether the app is in the foreground, and how far its launch has come.
struct AppState: Sendable {
    /// The progress of an app's launch.
    enum Phase: Hashable {
        /// No launch is under way.
        case idle
        /// The app is being started for a session.
        case starting(SessionKey, Arrival)
        /// The app was started and has ``AppState/handlingTimeLimit`` to handle the session.
        case handling(SessionKey)
        /// The last launch was unsuccessful, and the next launch waits.
        case pausing
    }

    /// The process of an app that is being started.
    enum Arrival: Hashable {
        case awaited
        case arrived
        case gone
    }

    /// The time that a started app has to handle its session before the launch counts as unsuccessful.
    static let handlingTimeLimit = Duration.seconds(30)
    /// The first and the longest pause after an unsuccessful launch. The values equal the relaunch limiter's first
    /// and longest delay.
    static let shortestPause = Duration.seconds(60)
    static let longestPause = Duration.seconds(6 * 3600)

    /// Whether the app reports that it is in the foreground.
    var reportsForeground = true
    /// The desktop's report about the app's windows, which takes precedence; `nil` if the desktop reports nothing.
    var window: WindowFocus?
    var phase = Phase.idle
    /// Whether the app has handled a task or replied to a request since its last launch.
    var hasHandledEvents = false
    /// The pause before the next launch, if the last launch was unsuccessful.
    var duePause: Duration?
    /// The last pause; `nil` once the app has handled something.
    var lastPause: Duration?
    /// The process that was started last.
    var process: Int32?
    var launches = 0
    var failures = 0
    var lastLaunch: WallTime?
    var lastOutcome: LaunchOutcome?

    var isInFront: Bool { window.map { $0 == .focused } ?? reportsForeground }

    /// Returns whether a new process is the one that was started, or a child of it. A script and the programs that
    /// the script runs are the same app.
    func isStarted(_ user: ClientProcess) -> Bool {
        let isExpected =
            switch phase {
            case .starting: true
            // If the process is known, no other process was started.
            case .handling: process == nil
            case .idle, .pausing: false
            }
        return isExpected || user.isLaunched || [user.process, user.leader].contains(process ?? -1)
    }

    // MARK: Launches

    /// Starts the app, or pauses first if the last launch was unsuccessful. Does nothing while the app is being
    /// started.
    mutating func start(
        _ app: String, for key: SessionKey, by registration: AppRegistration, at now: WallTime
    ) -> [SessionEffect] {
        guard phase == .idle else { return [] }
        if let pause = duePause {
            phase = .pausing
            return [.setTimer(.pause(app), pause)]
        }
        phase = .starting(key, .awaited)
        hasHandledEvents = false
        launches += 1
        lastLaunch = now
        return [.reportRelaunch(app), .launch(app, registration, for: key)]
    }

    mutating func endLaunch(
        of app: String, _ outcome: LaunchOutcome, in sessions: [SessionKey: Session]
    ) -> [SessionEffect] {
        guard case .starting(let key, let arrival) = phase else { return [] }
        lastOutcome = outcome
        // A process that has already exited is not waited for.
        guard case .started(let process) = outcome, arrival != .gone, sessions[key]?.tasks.needsApp == true else {
            if case .started(let process) = outcome { self.process = process }
            endStart(for: sessions[key])
            return []
        }
        self.process = process
        phase = .handling(key)
        return [.setTimer(.handlingTimeLimit(app), Self.handlingTimeLimit)]
    }

    /// Ends a launch. After an unsuccessful launch, the next launch waits. An app that has handled something is started
    /// for the remaining events immediately.
    private mutating func endStart(for session: Session?) {
        phase = .idle
        guard !hasHandledEvents, let session, session.tasks.needsApp else { return }
        if session.audience.user == nil { failures += 1 }
        lengthenPause()
    }

    mutating func endHandling(of app: String, in sessions: [SessionKey: Session]) -> [SessionEffect] {
        guard case .handling(let key) = phase else { return [] }
        endStart(for: sessions[key])
        return [.cancelTimer(.handlingTimeLimit(app))]
    }

    mutating func endPause() -> [SessionEffect] {
        guard phase == .pausing else { return [] }
        (phase, duePause) = (.idle, nil)
        return []
    }

    /// Records that a process of the app has ended.
    mutating func leave(of app: String, _ sessions: [SessionKey: Session]) -> [SessionEffect] {
        if case .starting(let key, .arrived) = phase { phase = .starting(key, .gone) }
        return endHandling(of: app, in: sessions)
    }

    /// Records that the app has handled all events of a task, or has replied to a request.
    mutating func recordHandling(of app: String, in key: SessionKey, _ sessions: [SessionKey: Session])
        -> [SessionEffect]
    {
        (hasHandledEvents, duePause, lastPause) = (true, nil, nil)
        if phase == .pausing {
            phase = .idle
            return [.cancelTimer(.pause(app))]
        }
        return sessions[key]?.tasks.needsApp == true ? [] : endHandling(of: app, in: sessions)
    }

    /// Doubles the pause, up to ``longestPause``. The relaunch limiter's own delay may expire and start again from
    /// its first value; this pause does not.
    private mutating func lengthenPause() {
        let pause = lastPause.map { min($0 * 2, Self.longestPause) } ?? Self.shortestPause
        (duePause, lastPause) = (pause, pause)
    }
}

/// The status of an app, for display.
package struct AppStatus: Hashable, Sendable {
    package var app: String
    package var sessions = 0
    package var isConnected = false
    package var isInFront = false
    package var waitingEvents = 0
    package var registration: AppRegistration?
    /// The executable of the program that registered the app's launch method.
    package var registeredBy: String?
    /// The number of launches since the host started. ``failures`` counts the unsuccessful ones.
    package var launches = 0
    package var failures = 0
    package var lastLaunch: WallTime?
    package var lastOutcome: LaunchOutcome?
}

/// The result of an attempt to start an app.
package enum LaunchOutcome: Hashable, Sendable, Codable {
    /// The app runs, or has accepted the call. Carries the process, if it is known.
    case started(process: Int32?)
    /// The program does not exist or cannot be started.
    case missing(String)
    /// The program ended before it accepted the call.
    case crashed(String)
    /// The program was started and did not accept the call in time.
    case silent(String)
}
