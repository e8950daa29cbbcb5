// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// How much of its bookkeeping an app may have the host keep (rule C5).
package struct SessionLimits: Hashable, Sendable {
    /// Tasks of an app, suspended ones and ended ones that are not acknowledged included.
    package var tasks = 10_000
    /// Sessions of an app.
    package var sessions = 100
    /// Bytes of the URLs, header fields, notes and answers of an app's tasks, and of its transfers that are not over. The
    /// daemon keeps each twice at most: below 32 MB of memory and 64 MB of disk for an app.
    package var bytes = 14 << 20
    /// Numbers of tasks that a session may leave out: its app makes tasks in another order than it starts them.
    package var gap = 10_000

    /// The default limits.
    package init() {}
}

/// What the tasks of an app take.
package struct TaskUsage: Hashable, Sendable {
    /// The number of tasks, ended ones that are not acknowledged included.
    package var tasks = 0
    /// The bytes of their URLs, header fields, notes and answers.
    package var bytes = 0
}

/// Counting what apps have the host keep, and refusing what is too much.
extension SessionHost {
    /// What the tasks of an app take.
    package func usage(of app: String) -> TaskUsage { usage[app] ?? TaskUsage() }

    /// The number of an app's tasks that are no transfers of the engine's: suspended before they began, or ended and not
    /// acknowledged.
    package func tasksWithoutTransfers(of app: String) -> Int {
        let tasks = usage(of: app).tasks
        return tasks == 0 ? 0 : tasks - owners.values.count { $0.session.app == app }
    }

    /// Refuses a new session where its app has as many as it may have.
    func checkRoom(forSession key: SessionKey) throws(SessionRefusal) {
        guard sessions[key] == nil else { return }
        let count = sessions.keys.count { $0.app == key.app }
        guard count >= limits.sessions else { return }
        throw SessionRefusal(
            code: .limitExceeded,
            message: "\(key.app) has \(count) sessions and may have \(limits.sessions); use one that it has")
    }

    /// Refuses a new task where its app has as much as it may have, or where its number leaves out too many.
    func checkRoom(for snapshot: TaskSnapshot, _ record: SessionRecord, in key: SessionKey) throws(SessionRefusal) {
        let skipped = snapshot.identifier.subtractingReportingOverflow(record.nextTask).partialValue
        guard skipped <= 0 || record.missing.count + skipped <= limits.gap else {
            throw SessionRefusal(
                code: .invalid,
                message: """
                    'task' is \(snapshot.identifier), and the next number of the session is \(record.nextTask): at most \
                    \(limits.gap) numbers may be left out, \(record.missing.count) are already
                    """)
        }
        let usage = usage(of: key.app)
        guard usage.tasks < limits.tasks else {
            throw SessionRefusal(
                code: .limitExceeded,
                message: """
                    \(key.app) has \(usage.tasks) tasks, suspended and unacknowledged ones included, and may have \
                    \(limits.tasks); wait for some to end, or cancel some
                    """)
        }
        let bytes = snapshot.bookkeepingBytes
        guard usage.bytes + bytes <= limits.bytes else {
            throw SessionRefusal(
                code: .limitExceeded,
                message: """
                    the tasks of \(key.app) have \(usage.bytes) bytes of addresses, header fields and notes, and may have \
                    \(limits.bytes): \(bytes) more are too many
                    """)
        }
    }

    /// Counts a task anew that is there, or is so no longer.
    func account(_ number: Int, in key: SessionKey, removed: Task? = nil) {
        var usage = usage(of: key.app)
        if let removed {
            usage.tasks -= 1
            usage.bytes -= removed.bytes
        } else if let task = sessions[key]?.tasks[number] {
            let bytes = task.record.bookkeepingBytes
            if task.bytes == 0 { usage.tasks += 1 }
            usage.bytes += bytes - task.bytes
            sessions[key]?.tasks[number]?.bytes = bytes
        }
        self.usage[key.app] = usage.tasks > 0 ? usage : nil
    }
}

extension TaskSnapshot {
    /// The bytes of all that its app may make as long as it likes; never 0.
    package var bookkeepingBytes: Int {
        var bytes = 64 + request.url.utf8.count + (note?.utf8.count ?? 0) + (continues?.utf8.count ?? 0)
        if case .upload(let path) = kind { bytes += path.utf8.count }
        return request.headers.reduce(bytes) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    }
}

extension TaskRecord {
    /// The bytes that a task counts for, its answer included; never 0.
    fileprivate var bookkeepingBytes: Int {
        snapshot.bookkeepingBytes + (end?.answerBytes ?? 0)
    }
}

extension TaskEnd {
    /// The bytes of the server's answer that wait for the app.
    var answerBytes: Int {
        let head = response.map {
            $0.headers.reduce($0.url.utf8.count) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        }
        return (head ?? 0) + (body?.count ?? 0) + (failure?.message.utf8.count ?? 0)
    }

    /// Leaves the server's answer out, since the app has let too much wait already.
    mutating func dropAnswer(_ app: String, _ bytes: Int) {
        response?.headers = [:]
        guard body != nil else { return }
        body = nil
        failure = FailureDescription(
            code: .dataLengthExceedsMaximum,
            "the server's answer was dropped: \(app) has \(bytes) bytes of events that it has not acknowledged")
    }
}
