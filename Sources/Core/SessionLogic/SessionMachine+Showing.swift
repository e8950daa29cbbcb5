// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// What is asked about sessions. Nothing here changes anything.
extension SessionMachine {
    /// A session as the process that has it open finds it.
    package func state(of key: SessionKey) -> SessionState {
        guard let session = sessions[key], let user = session.audience.user else {
            return SessionState(nextTask: 1, tasks: [])
        }
        var state = SessionState(
            nextTask: session.record.nextTask,
            tasks: session.tasks.values.map(\.record.snapshot).sorted { $0.identifier < $1.identifier })
        state.isInFront = apps[user.app].isInFront
        state.app = key.app == user.app ? nil : key.app
        state.warning = loss ?? sessions.warning(about: session.record, of: key, for: user)
        return state
    }

    /// The session that a program means: its own, or that of its container's app.
    package func key(of settings: SessionSettings, for app: String) throws(SessionRefusal) -> SessionKey {
        try sessions.key(of: settings, for: app)
    }

    /// What is kept of a task.
    package func task(_ number: Int, in key: SessionKey) -> TaskRecord? { sessions[key]?.tasks[number]?.record }

    /// Whether no such task has come before, and the client that submits it has the session open.
    package func isNew(_ snapshot: TaskSnapshot, in key: SessionKey, from client: String) -> Bool {
        sessions[key].map { $0.audience.user?.name == client && $0.record.isNew(snapshot.identifier) } ?? false
    }

    /// Whether a task goes on with a cancelled upload whose file is kept already.
    package func continuesKept(_ snapshot: TaskSnapshot, in key: SessionKey) -> Bool {
        snapshot.continues.flatMap { sessions[key]?.record.kept[$0]?.source } != nil
    }

    /// The tasks that have not ended, in the order of their numbers.
    package func tasks(of key: SessionKey) -> [TaskSnapshot] {
        (sessions[key]?.tasks.unfinished ?? []).compactMap { sessions[key]?.tasks[$0]?.record.snapshot }
    }

    /// The task of a transfer; nil if it is no session's.
    package func owner(of id: TransferID) -> TaskKey? { owners[id] }

    /// The finished file of an event that waits to be acknowledged; nil where there is none.
    package func file(ofEvent event: EventNumber, in key: SessionKey) -> String? {
        sessions[key]?.tasks.find(event).flatMap { $0.kinds[$0.place].file }
    }

    /// The process that has a session open.
    package func user(of key: SessionKey) -> SessionUser? { sessions[key]?.audience.user }

    /// The sessions that fit, in their order.
    package func keys(where fits: (SessionKey, SessionUser?) -> Bool = { _, _ in true }) -> [SessionKey] {
        sessions.filter { fits($0.key, $0.value.audience.user) }.keys.sorted()
    }

    /// Whether a person works with an app: by the desktop's word, else by its own. An app that has said nothing, and was not
    /// started for its sessions, is in front (rule S6).
    package func isInFront(_ app: String) -> Bool { apps.isInFront(app) }

    /// The files of uploads that sessions still need.
    package var neededSources: [KeptSource] {
        sessions.values.flatMap { session in
            session.tasks.values.compactMap(\.record.source) + session.record.kept.values.compactMap(\.source)
        }
    }

    // MARK: Counting

    /// What the tasks of an app take.
    package func usage(of app: String) -> TaskUsage {
        var usage = TaskUsage()
        for (key, session) in sessions where key.app == app {
            usage.tasks += session.tasks.usage.tasks
            usage.bytes += session.tasks.usage.bytes
        }
        return usage
    }

    /// Refuses a new task early if its app has as much as it may have.
    package func checkRoom(for snapshot: TaskSnapshot, in key: SessionKey) throws(SessionRefusal) {
        guard let record = sessions[key]?.record else { return }
        try limits.check(snapshot, in: record, of: key.app, using: usage(of: key.app))
    }

    /// The number of an app's tasks that are no transfers of the engine's: suspended before they began, or ended and not
    /// acknowledged.
    package func tasksWithoutTransfers(of app: String) -> Int {
        let tasks = usage(of: app).tasks
        return tasks == 0 ? 0 : tasks - owners.values.count { $0.session.app == app }
    }

    /// What the sessions of an app have on disk and open.
    package func fileUsage(of app: String) -> FileUsage {
        sessions.filter { $0.key.app == app }.reduce(into: FileUsage()) { $0.add($1.value) }
    }

    /// The files of all apps that have sessions, by the names of the apps.
    package func fileUsages() -> [String: FileUsage] {
        sessions.reduce(into: [:]) { $0[$1.key.app, default: FileUsage()].add($1.value) }
    }

    /// What is known of the apps that have sessions, by their names.
    package func appStatuses() -> [AppStatus] {
        Set(sessions.keys.map(\.app)).sorted().map { app in
            let state = apps[app]
            let own = sessions.filter { $0.key.app == app }
            var status = AppStatus(app: app)
            status.sessions = own.count
            status.isConnected = own.contains { $0.value.audience.user != nil }
            status.isInFront = state.isInFront && status.isConnected
            status.waitingEvents = own.values.reduce(0) { $0 + $1.tasks.waitingEventCount }
            let registered = own.sorted { $0.key < $1.key }.map(\.value.record).first { $0.registration != nil }
            (status.registration, status.registeredBy) = (registered?.registration, registered?.registeredBy)
            (status.launches, status.failures, status.lastLaunch, status.lastOutcome) = (
                state.launches, state.failures, state.lastLaunch, state.lastOutcome
            )
            return status
        }
    }

    /// The sessions there are, with how many of their tasks are not over and how many events wait.
    package func summaries() -> [(key: SessionKey, tasks: Int, waitingEvents: Int, owner: Int32?)] {
        sessions.sorted { $0.key < $1.key }.map { key, session in
            (key, session.tasks.unfinishedCount, session.tasks.waitingEventCount, session.audience.user?.process)
        }
    }
}
