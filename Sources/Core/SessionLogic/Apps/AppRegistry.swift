// SPDX-License-Identifier: Apache-2.0
import TransferModel

/// The apps that have sessions: which of them are in front, and when they are started.
struct AppRegistry: Sendable {
    private var states: [String: AppState] = [:]
    /// The focus of windows as the desktop reports it, by the names of apps.
    private var windows: [String: WindowFocus] = [:]

    /// The state of an app.
    subscript(_ app: String) -> AppState { states[app] ?? AppState() }

    /// Lets an app's state decide about its start, and returns what follows.
    mutating func change(_ app: String, _ body: (inout AppState) -> [SessionEffect]) -> [SessionEffect] {
        body(&states[app, default: AppState()])
    }

    // MARK: In front, or not

    /// Whether a person works with an app: by the desktop's word, else by its own. One that has said nothing, and was not
    /// started for its sessions, is in front (rule S6).
    func isInFront(_ app: String) -> Bool {
        (states[app]?.window ?? windows[app]).map { $0 == .focused } ?? states[app]?.saysInFront ?? true
    }

    /// A process of an app opens a session.
    ///
    /// - Parameter isKnown: whether the process has another session open.
    mutating func noteOpening(by user: SessionUser, isKnown: Bool) -> [SessionEffect] {
        let window = windows[user.app]
        return change(user.app) { app in
            let isStarted = app.isStarted(user)
            if case .starting(let key, _) = app.phase { app.phase = .starting(key, .here) }
            guard !isKnown else { return [] }
            app.saysInFront = (user.isBack || !isStarted) && user.isInFront ?? true
            // Somebody has started it anew: windows that are closed were another's.
            let isNew = !user.isBack && !isStarted
            app.window = window == .closed && isNew ? nil : window
            // One that lost sight of this program only is nothing that its person has done: the limiter stays as it is.
            return isNew && app.isInFront ? [.noteFront(user.app)] : []
        }
    }

    /// Takes down what an app says of itself. What the desktop reports of its windows counts for more, and is never
    /// overridden by the app's own word (rule C13).
    mutating func note(isInFront: Bool, _ app: String) -> [SessionEffect] {
        let window = windows[app]
        return change(app) { state in
            state.saysInFront = isInFront
            return isInFront && state.window ?? window == nil ? [.noteFront(app)] : []
        }
    }

    /// Takes down what the desktop tells of windows. What it no longer tells of an app is withdrawn: nobody has brought that
    /// one to the front.
    ///
    /// - Parameter known: the apps that have or use sessions.
    mutating func note(_ windows: [String: WindowFocus], of known: Set<String>) -> [SessionEffect] {
        let before = self.windows
        self.windows = windows
        return known.sorted().filter { before[$0] != windows[$0] }.flatMap { app in
            change(app) { state in
                state.window = windows[app]
                return state.window == .focused ? [.noteFront(app)] : []
            }
        }
    }

    // MARK: Starting

    /// Starts an app that has something to do and has nobody who does it; nothing while it is being started.
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

    /// Tells the limiter of an app that it will not be started for what has ended.
    func abandonIfIdle(_ app: String, _ sessions: [SessionKey: Session]) -> [SessionEffect] {
        guard self[app].phase == .idle, !sessions.contains(where: { $0.key.app == app && $0.value.tasks.needsApp })
        else { return [] }
        return [.noteRelaunchAbandoned(app)]
    }
}
