// SPDX-License-Identifier: Apache-2.0
internal import Logging
internal import TransferEngine
package import TransferModel

/// When apps are started for their sessions.
extension SessionHost {
    /// What is known of an app.
    struct AppState {
        /// Whether a person works with it, as far as it says.
        var saysInFront = true
        /// What the desktop tells of its windows, which counts for more; nil where it tells nothing.
        var window: WindowFocus?
        var isInFront: Bool { window.map { $0 == .focused } ?? saysInFront }
        /// The attempts to start it, while there are any.
        var launching: _Concurrency.Task<Void, Never>?
        /// Waits for it to deal with what it was started for; ends as it does, or goes away.
        var patience: _Concurrency.Task<Bool, Never>?
        /// Waits before it is started again, since it dealt with nothing; ends as nothing is left for it.
        var pause: _Concurrency.Task<Bool, Never>?
        /// Whether it has dealt with anything since it was started.
        var hasDealt = false
        /// The wait before its next start, where the last one came to nothing.
        var duePause: Duration?
        /// The last such wait; nil once it has dealt with something.
        var lastPause: Duration?
        /// The process that was started last.
        var process: Int32?
        /// Whether one that comes now is the one that was started.
        var isExpected = false
        var launches = 0
        /// How often it was called while it ran in the background.
        var calls = 0
        var failures = 0
        var lastLaunch: WallTime?
        var lastOutcome: LaunchOutcome?
    }

    /// How long an app that was started has for its session, before it is started again.
    private static let patience = Duration.seconds(30)
    /// The time between two attempts that came to nothing: the relaunch limiter's first delay, and its longest.
    private static let leastPause = Duration.seconds(60)
    private static let longestPause = Duration.seconds(6 * 3600)

    // MARK: In front, or not

    /// A process of the app has opened a session.
    func noteOpening(by client: SessionClient) {
        var app = apps[client.app] ?? AppState()
        // What a script that was started starts in its turn is the same app.
        let isStartedByUs =
            app.isExpected || [client.process, client.leader].contains(app.process ?? -1)
            || client.isLaunched
        let isNew = !sessions.values.contains { $0.client?.name == client.name }
        defer { apps[client.app] = app }
        guard isNew else { return }
        app.saysInFront = (client.isBack || !isStartedByUs) && client.isInFront ?? true
        app.window = window(ofNew: client.app, isStartedByUs: client.isBack || isStartedByUs)
        // One that lost sight of this program only is nothing that its person has done: the limiter stays as it is.
        if !client.isBack, !isStartedByUs, app.isInFront { engine.appCameToFront(client.app) }
    }

    /// Whether nobody works with the program that has a session: its app, or another one of its container.
    func isBehind(_ key: SessionKey) -> Bool { apps[sessions[key]?.client?.app ?? key.app]?.isInFront == false }

    /// Notes what an app says of itself: whether a person works with it. What the desktop reports of its windows counts for
    /// more, and is never overridden by the app's own word (rule C13).
    package func setInFront(_ isInFront: Bool, app: String) {
        apps[app, default: AppState()].saysInFront = isInFront
        guard isInFront, apps[app]?.window ?? windows[app] == nil else { return }
        engine.appCameToFront(app)
    }

    /// Whether a person works with an app: by the desktop's word, else by its own. One that has said nothing, and was not
    /// started for its sessions, is in front (rule S6).
    package func isInFront(_ app: String) -> Bool {
        (apps[app]?.window ?? windows[app]).map { $0 == .focused } ?? apps[app]?.saysInFront ?? true
    }

    // MARK: Starting

    /// Starts an app that has something to do and does not run; nothing while it is being started.
    func startIfNeeded(_ app: String) {
        guard apps[app]?.launching == nil else { return }
        guard sessionToStartFor(app) != nil else {
            if !sessions.contains(where: { $0.key.app == app && $0.value.needsApp }) { engine.relaunchAbandoned(app) }
            return
        }
        apps[app, default: AppState()].launching = _Concurrency.Task { await keepStarting(app) }
    }

    /// The first session for which an app is to be started.
    private func sessionToStartFor(_ app: String) -> SessionKey? {
        sessions.filter { key, session in
            key.app == app && session.client == nil && session.needsApp && !session.record.isQuit
                && session.record.settings.sendsLaunchEvents && session.record.registration != nil
        }.keys.min()
    }

    /// Starts an app until it has nothing to do, or has come. A start that came to nothing is followed by a pause, which
    /// doubles: the limiter's own delay may be over by then and begin anew, this one does not.
    private func keepStarting(_ app: String) async {
        while let key = sessionToStartFor(app), let registration = sessions[key]?.record.registration {
            if let pause = apps[app]?.duePause {
                guard await wait(pause, as: \.pause, in: app) else { break }
                apps[app]?.duePause = nil
                continue
            }
            await start(app, for: key, by: registration)
            // One that has dealt with something and gone is started for the rest at once.
            guard apps[app]?.hasDealt == false, sessions[key]?.needsApp == true else { continue }
            if sessions[key]?.client == nil { apps[app]?.failures += 1 }
            let pause = apps[app]?.lastPause.map { min($0 * 2, Self.longestPause) } ?? Self.leastPause
            apps[app]?.duePause = pause
            apps[app]?.lastPause = pause
        }
        apps[app]?.launching = nil
    }

    private func start(_ app: String, for key: SessionKey, by registration: AppRegistration) async {
        engine.appRelaunched(app)
        apps[app, default: AppState()].launches += 1
        apps[app]?.lastLaunch = now
        apps[app]?.isExpected = true
        apps[app]?.hasDealt = false
        defer { apps[app]?.isExpected = false }
        logger.info("starting an app for its session", metadata: ["app": "\(app)", "session": "\(key.identifier)"])
        let outcome = await launcher.launch(registration, of: app, for: key.identifier)
        apps[app]?.lastOutcome = outcome
        switch outcome {
        case .started(let process):
            apps[app]?.process = process
            // Where that is known, no other process is the one that was started.
            if process != nil { apps[app]?.isExpected = false }
            if sessions[key]?.needsApp == true { _ = await wait(Self.patience, as: \.patience, in: app) }
        case .missing(let why), .crashed(let why), .silent(let why):
            logger.warning(
                "an app could not be started for its session",
                metadata: ["app": "\(app)", "session": "\(key.identifier)", "why": "\(why)"])
        }
    }

    /// Waits so long, or until the task that it leaves at `place` is cancelled.
    ///
    /// - Returns: false where the clock can wait no more, since the program ends.
    private func wait(
        _ duration: Duration, as place: WritableKeyPath<AppState, _Concurrency.Task<Bool, Never>?>, in app: String
    ) async -> Bool {
        let waiting = _Concurrency.Task { [sleep] in
            do { try await sleep(duration) } catch { return _Concurrency.Task.isCancelled }
            return true
        }
        apps[app]?[keyPath: place] = waiting
        defer { apps[app]?[keyPath: place] = nil }
        return await waiting.value
    }

    /// Notes that an app has dealt with an event, or answered a question.
    func noteDealing(in key: SessionKey) {
        apps[key.app]?.hasDealt = true
        apps[key.app]?.duePause = nil
        apps[key.app]?.lastPause = nil
        guard sessions[key]?.needsApp == false else { return }
        apps[key.app]?.patience?.cancel()
        apps[key.app]?.pause?.cancel()
    }

    // MARK: Showing

    /// What is known of the apps that have sessions, by their names.
    package func appStatuses() -> [AppStatus] {
        Set(sessions.keys.map(\.app)).sorted().map { app in
            let state = apps[app] ?? AppState()
            let own = sessions.filter { $0.key.app == app }
            var status = AppStatus(app: app)
            status.sessions = own.count
            status.isConnected = own.contains { $0.value.client != nil }
            status.isInFront = state.isInFront && status.isConnected
            status.waitingEvents = own.values.reduce(0) { $0 + $1.waitingEvents }
            let registered = own.sorted { $0.key < $1.key }.map(\.value.record).first { $0.registration != nil }
            (status.registration, status.registeredBy) = (registered?.registration, registered?.registeredBy)
            (status.launches, status.failures, status.lastLaunch, status.lastOutcome) = (
                state.launches, state.failures, state.lastLaunch, state.lastOutcome
            )
            return status
        }
    }

    /// The sessions there are, with how many of their tasks are not over and how many events wait.
    package func sessionSummaries() -> [(key: SessionKey, tasks: Int, waitingEvents: Int, owner: Int32?)] {
        sessions.sorted { $0.key < $1.key }.map { key, session in
            (
                key, session.tasks.values.count { $0.record.end == nil }, session.waitingEvents,
                session.client?.process
            )
        }
    }
}

extension SessionHost.Session {
    /// How many events its app has not dealt with.
    fileprivate var waitingEvents: Int {
        ends.values.reduce(0) { sum, number in
            guard let record = tasks[number]?.record, let end = record.end else { return sum }
            return sum + end.kinds.count - record.acknowledged
        }
    }
}

/// An app, as people are shown it.
package struct AppStatus: Hashable, Sendable {
    package var app: String
    package var sessions = 0
    package var isConnected = false
    package var isInFront = false
    package var waitingEvents = 0
    package var registration: AppRegistration?
    /// The executable of the program that said how the app is started.
    package var registeredBy: String?
    /// Starts since this program began, and those that came to nothing.
    package var launches = 0
    package var failures = 0
    package var lastLaunch: WallTime?
    package var lastOutcome: LaunchOutcome?
}
