// SPDX-License-Identifier: Apache-2.0
import TransferModel

/// The apps that have sessions, with the state of their launches and whether they are in the foreground.
struct AppRegistry: Sendable {
    private var states: [String: AppState] = [:]
    /// The window focus that the desktop reports, by app name.
    private var windows: [String: WindowFocus] = [:]

    /// The state of an app. An unknown app has the default state.
    subscript(_ app: String) -> AppState { states[app] ?? AppState() }

    /// Applies a change to an app's state and returns the effects that follow.
    mutating func change(_ app: String, _ body: (inout AppState) -> [SessionEffect]) -> [SessionEffect] {
        body(&states[app, default: AppState()])
    }

    // MARK: Foreground state

    /// Returns a Boolean value that indicates whether the user is working with an app.
    ///
    /// The desktop's report counts first, then the app's own report. An app that reports nothing, and was not started
    /// for its sessions, is in the foreground (rule S6).
    func isInFront(_ app: String) -> Bool {
        (states[app]?.window ?? windows[app]).map { $0 == .focused } ?? states[app]?.reportsForeground ?? true
    }

    /// Records that a process of an app opens a session.
    ///
    /// - Parameter isKnown: Whether the process has another session open.
    mutating func recordOpening(by user: ClientProcess, isKnown: Bool) -> [SessionEffect] {
        let window = windows[user.app]
        return change(user.app) { app in
            let isStarted = app.isStarted(user)
            if case .starting(let key, _) = app.phase { app.phase = .starting(key, .arrived) }
            guard !isKnown else { return [] }
            app.reportsForeground = (user.isReconnecting || !isStarted) && user.isInFront ?? true
            // The user has started the app again, so the closed windows belonged to an earlier process.
            let isNew = !user.isReconnecting && !isStarted
            app.window = window == .closed && isNew ? nil : window
            // A process that only lost its connection says nothing about the user, so the limiter keeps its state.
            return isNew && app.isInFront ? [.reportForeground(user.app)] : []
        }
    }

    /// Records what an app reports about itself. The desktop's report about the app's windows takes precedence and is
    /// never overridden by the app (rule C13).
    mutating func update(isInFront: Bool, _ app: String) -> [SessionEffect] {
        let window = windows[app]
        return change(app) { state in
            state.reportsForeground = isInFront
            return isInFront && state.window ?? window == nil ? [.reportForeground(app)] : []
        }
    }

    /// Records the windows that the desktop reports. If the desktop no longer reports an app, the earlier report is
    /// withdrawn: the user has not brought the app to the foreground.
    ///
    /// - Parameter known: The apps that have or use sessions.
    mutating func update(_ windows: [String: WindowFocus], of known: Set<String>) -> [SessionEffect] {
        let before = self.windows
        self.windows = windows
        return known.sorted().filter { before[$0] != windows[$0] }.flatMap { app in
            change(app) { state in
                state.window = windows[app]
                return state.window == .focused ? [.reportForeground(app)] : []
            }
        }
    }

    // MARK: Launches

    /// Starts an app that has work to do in a session that no process has open. Does nothing while the app is being
    /// started.
    mutating func startIfNeeded(
        _ app: String, for sessions: [SessionKey: Session], at now: WallTime
    ) -> [SessionEffect] {
        let waiting = sessions.filter {
            $0.key.app == app && $0.value.audience.user == nil && $0.value.tasks.needsApp
                && $0.value.record.allowsLaunch
        }
        guard let key = waiting.keys.min(), let registration = waiting[key]?.record.registration else { return [] }
        return change(app) { $0.start(app, for: key, by: registration, at: now) }
    }

    /// Notifies the relaunch limiter that the app will not be started for its finished tasks, if the app is idle and no
    /// session needs it.
    func abandonIfIdle(_ app: String, _ sessions: [SessionKey: Session]) -> [SessionEffect] {
        guard self[app].phase == .idle, !sessions.contains(where: { $0.key.app == app && $0.value.tasks.needsApp })
        else { return [] }
        return [.reportRelaunchAbandoned(app)]
    }
}

/// The state of an application's windows, as the desktop reports it.
package enum WindowFocus: Hashable, Sendable {
    /// The user is working with one of the windows.
    case focused
    /// The application has windows, and the user is working with something else.
    case unfocused
    /// The application had windows and has none now.
    case closed
}

/// A process that uses sessions.
package struct ClientProcess: Hashable, Sendable {
    /// The unique name of the process. Distinguishes the process from all others, also from a later process with the
    /// same process ID.
    package var name: String
    package var process: Int32
    /// The process that leads the Unix session of this process. A program runs in the same Unix session as the
    /// program that started it.
    package var leader: Int32?
    package var app: String
    /// Whether the process reports that it is in the foreground; `nil` if the process does not say.
    package var isInFront: Bool?
    /// Whether the process had the session open before, and only lost its connection to the host.
    package var isReconnecting = false
    /// Whether a program that was started for the app's sessions still runs. In that case a new process was not
    /// started by the user, even if its process ID differs.
    package var isLaunched = false
    /// Whether the process runs in a sandbox.
    package var isSandboxed = false
    /// The path of the executable; empty if it is unknown.
    package var executable = ""
    /// The shared containers whose sessions the app wants to be started for; `nil` if the process does not say.
    package var containers: Set<String>?

    package init(name: String, process: Int32, app: String) {
        self.name = name
        self.process = process
        self.app = app
    }
}
