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
        let waiting = sessions.filter {
            $0.key.app == app && $0.value.user == nil && $0.value.needsApp && $0.value.allowsLaunch
        }
        guard let key = waiting.keys.min(), let registration = waiting[key]?.record.registration else { return }
        effects += apps[app, default: AppState()].start(app, for: key, by: registration, at: now)
    }

    /// Tells the limiter of an app that it will not be started for what has ended.
    mutating func abandonIfIdle(_ app: String) {
        guard apps[app]?.phase ?? .idle == .idle, !sessions.contains(where: { $0.key.app == app && $0.value.needsApp })
        else { return }
        effects.append(.noteRelaunchAbandoned(app))
    }
}
