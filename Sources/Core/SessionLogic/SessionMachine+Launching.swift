// SPDX-License-Identifier: Apache-2.0
import TransferModel

/// When apps are started for their sessions.
extension SessionMachine {
    // MARK: In front, or not

    /// A process of an app opens a session.
    mutating func noteOpening(by user: SessionUser) {
        var app = apps[user.app] ?? AppState()
        defer { apps[user.app] = app }
        let isStarted = app.isStarted(user)
        if case .starting(let key, _) = app.phase { app.phase = .starting(key, .here) }
        guard !sessions.values.contains(where: { $0.user?.name == user.name }) else { return }
        app.saysInFront = (user.isBack || !isStarted) && user.isInFront ?? true
        // Somebody has started it anew: windows that are closed were another's.
        let isNew = !user.isBack && !isStarted
        app.window = windows[user.app] == .closed && isNew ? nil : windows[user.app]
        // One that lost sight of this program only is nothing that its person has done: the limiter stays as it is.
        if isNew, app.isInFront { effects.append(.noteFront(user.app)) }
    }

    /// Whether nobody works with the program that has a session: its app, or another one of its container.
    func isBehind(_ key: SessionKey) -> Bool { apps[sessions[key]?.user?.app ?? key.app]?.isInFront == false }

    /// Takes down what an app says of itself. What the desktop reports of its windows counts for more, and is never
    /// overridden by the app's own word (rule C13).
    mutating func note(isInFront: Bool, _ app: String) {
        apps[app, default: AppState()].saysInFront = isInFront
        if isInFront, apps[app]?.window ?? windows[app] == nil { effects.append(.noteFront(app)) }
    }

    /// Takes down what the desktop tells of windows. What it no longer tells of an app is withdrawn: nobody has brought that
    /// one to the front.
    mutating func note(_ windows: [String: WindowFocus]) {
        let before = self.windows
        self.windows = windows
        let known = Set(sessions.keys.map(\.app)).union(sessions.values.compactMap(\.user?.app))
        for app in known.sorted() where before[app] != windows[app] {
            apps[app, default: AppState()].window = windows[app]
            if windows[app] == .focused { effects.append(.noteFront(app)) }
        }
    }

    // MARK: Starting

    /// Starts an app that has something to do and has nobody who does it; nothing while it is being started.
    mutating func startIfNeeded(_ app: String) {
        guard case let state = apps[app] ?? AppState(), state.phase == .idle, let key = sessionToStart(app),
            let registration = sessions[key]?.record.registration
        else { return }
        apps[app] = state
        if let pause = state.duePause {
            apps[app]?.phase = .pausing
            return effects.append(.setTimer(.pause(app), pause))
        }
        apps[app]?.phase = .starting(key, .awaited)
        apps[app]?.hasDealt = false
        apps[app]?.launches += 1
        apps[app]?.lastLaunch = now
        effects += [.noteRelaunch(app), .launch(app, registration, for: key)]
    }

    /// The first session for which an app is to be started.
    private func sessionToStart(_ app: String) -> SessionKey? {
        sessions.filter { $0.key.app == app && $0.value.user == nil && $0.value.needsApp && $0.value.allowsLaunch }
            .keys.min()
    }

    /// Tells the limiter of an app that it will not be started for what has ended.
    mutating func abandonIfIdle(_ app: String) {
        guard apps[app]?.phase ?? .idle == .idle, !sessions.contains(where: { $0.key.app == app && $0.value.needsApp })
        else { return }
        effects.append(.noteRelaunchAbandoned(app))
    }

    mutating func endLaunch(of app: String, _ outcome: LaunchOutcome) {
        guard case .starting(let key, let arrival)? = apps[app]?.phase else { return }
        apps[app]?.lastOutcome = outcome
        guard case .started(let process) = outcome else { return endStart(of: app, for: key) }
        apps[app]?.process = process
        // Nobody is waited for who has come and gone.
        guard arrival != .gone, sessions[key]?.needsApp == true else { return endStart(of: app, for: key) }
        apps[app]?.phase = .patient(key)
        effects.append(.setTimer(.patience(app), AppState.patience))
    }

    /// The start is over. If it came to nothing, the next one waits; an app that has dealt with something is started for
    /// the rest at once.
    private mutating func endStart(of app: String, for key: SessionKey) {
        apps[app]?.phase = .idle
        guard apps[app]?.hasDealt == false, let session = sessions[key], session.needsApp else { return }
        if session.user == nil { apps[app]?.failures += 1 }
        apps[app]?.lengthenPause()
    }

    private mutating func endPatience(with app: String, for key: SessionKey) {
        effects.append(.cancelTimer(.patience(app)))
        endStart(of: app, for: key)
    }

    /// A process of an app has gone.
    mutating func noteLeaving(of app: String) {
        switch apps[app]?.phase {
        case .starting(let key, .here): apps[app]?.phase = .starting(key, .gone)
        case .patient(let key): endPatience(with: app, for: key)
        case .starting, .idle, .pausing, nil: break
        }
    }

    /// An app has dealt with an event, or answered a question.
    mutating func noteDealing(in key: SessionKey) {
        let app = key.app
        apps[app]?.hasDealt = true
        apps[app]?.duePause = nil
        apps[app]?.lastPause = nil
        switch apps[app]?.phase {
        case .patient(let started): if sessions[key]?.needsApp != true { endPatience(with: app, for: started) }
        case .pausing:
            apps[app]?.phase = .idle
            effects.append(.cancelTimer(.pause(app)))
        case .starting, .idle, nil: break
        }
    }

    mutating func fire(_ timer: SessionTimer) {
        switch timer {
        case .begin(let key, let number): passDate(of: number, in: key)
        case .patience(let app): if case .patient(let key)? = apps[app]?.phase { endStart(of: app, for: key) }
        case .pause(let app):
            guard apps[app]?.phase == .pausing else { return }
            apps[app]?.phase = .idle
            apps[app]?.duePause = nil
        }
    }
}
