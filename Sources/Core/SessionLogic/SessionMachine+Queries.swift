// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// The queries about sessions. No query changes the state.
extension SessionMachine {
    /// Returns a session's state for the process that has it open. The state is empty if no process has the session
    /// open.
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

    /// Returns the key of the session that a program's settings identify: its own session, or the session of its
    /// container's app.
    package func key(of settings: SessionSettings, for app: String) throws(SessionRefusal) -> SessionKey {
        try sessions.key(of: settings, for: app)
    }

    /// Returns the stored row of a task.
    package func task(_ number: Int, in key: SessionKey) -> TaskRecord? { sessions[key]?.tasks[number]?.record }

    /// Returns whether a task is new to its session and submitted by the client that has the session open.
    package func isNew(_ snapshot: TaskSnapshot, in key: SessionKey, from client: String) -> Bool {
        sessions[key].map { $0.audience.user?.name == client && $0.record.isNew(snapshot.identifier) } ?? false
    }

    /// Returns whether a task continues a canceled upload whose file is kept.
    package func continuesKeptUpload(_ snapshot: TaskSnapshot, in key: SessionKey) -> Bool {
        snapshot.continues.flatMap { sessions[key]?.record.kept[$0]?.source } != nil
    }

    /// Returns the unfinished tasks of a session, ordered by number.
    package func tasks(of key: SessionKey) -> [TaskSnapshot] {
        (sessions[key]?.tasks.unfinished ?? []).compactMap { sessions[key]?.tasks[$0]?.record.snapshot }
    }

    /// Returns the task of a transfer; `nil` if the transfer belongs to no session.
    package func owner(of id: TransferID) -> TaskKey? { owners[id] }

    /// Returns whether a transfer's task waits for the date at which its app receives a request to begin the task.
    package func waitsForDate(_ id: TransferID) -> Bool {
        owners[id].flatMap { sessions[$0.session]?.tasks[$0.number]?.beginRequestDate } != nil
    }

    /// Returns the path of the finished file of an unacknowledged event; `nil` if there is none.
    package func file(ofEvent event: EventNumber, in key: SessionKey) -> String? {
        sessions[key]?.tasks.find(event).flatMap { $0.kinds[$0.index].file }
    }

    /// Returns the process that has a session open.
    package func user(of key: SessionKey) -> ClientProcess? { sessions[key]?.audience.user }

    /// Returns the keys of the sessions that satisfy a predicate, in ascending order.
    package func keys(where fits: (SessionKey, ClientProcess?) -> Bool = { _, _ in true }) -> [SessionKey] {
        sessions.filter { fits($0.key, $0.value.audience.user) }.keys.sorted()
    }

    /// Returns a Boolean value that indicates whether the user is working with an app.
    ///
    /// The desktop's report takes precedence over the app's report. Without a report, an app that was not started for
    /// its sessions is in the foreground (rule S6).
    package func isInFront(_ app: String) -> Bool { apps.isInFront(app) }

    /// The kept upload files that sessions still need.
    package var neededSources: [KeptSource] {
        sessions.values.flatMap { session in
            session.tasks.values.compactMap(\.record.source) + session.record.kept.values.compactMap(\.source)
        }
    }

    // MARK: Counting

    /// Returns the resources that the tasks of an app use.
    package func usage(of app: String) -> TaskUsage {
        var usage = TaskUsage()
        for (key, session) in sessions where key.app == app {
            usage.tasks += session.tasks.usage.tasks
            usage.bytes += session.tasks.usage.bytes
        }
        return usage
    }

    /// Throws a refusal early if a new task would exceed the limits of its app.
    package func checkRoom(for snapshot: TaskSnapshot, in key: SessionKey) throws(SessionRefusal) {
        guard let record = sessions[key]?.record else { return }
        try limits.check(snapshot, in: record, of: key.app, using: usage(of: key.app))
    }

    /// Returns the number of an app's tasks that have no transfer in the engine. Those tasks were suspended before
    /// they began, or have ended and are not acknowledged.
    package func tasksWithoutTransfers(of app: String) -> Int {
        let tasks = usage(of: app).tasks
        return tasks == 0 ? 0 : tasks - owners.values.count { $0.session.app == app }
    }

    /// Returns the files and unfinished tasks of an app's sessions.
    package func fileUsage(of app: String) -> FileUsage {
        sessions.filter { $0.key.app == app }.reduce(into: FileUsage()) { $0.add($1.value) }
    }

    /// Returns the files of every app that has sessions, by app name.
    package func fileUsages() -> [String: FileUsage] {
        sessions.reduce(into: [:]) { $0[$1.key.app, default: FileUsage()].add($1.value) }
    }

    /// Returns the status of every app that has sessions, ordered by name.
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

    /// Returns all sessions with their numbers of unfinished tasks and waiting events.
    package func summaries() -> [(key: SessionKey, tasks: Int, waitingEvents: Int, owner: Int32?)] {
        sessions.sorted { $0.key < $1.key }.map { key, session in
            (key, session.tasks.unfinishedCount, session.tasks.waitingEventCount, session.audience.user?.process)
        }
    }
}
