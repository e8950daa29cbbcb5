// SPDX-License-Identifier: Apache-2.0
package import TransferModel

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

    /// Refuses a new session of an app that has as many as it may have.
    func check(sessions count: Int, of app: String) throws(SessionRefusal) {
        guard count >= sessions else { return }
        throw SessionRefusal(
            code: .limitExceeded,
            message: "\(app) has \(count) sessions and may have \(sessions); use one that it has")
    }

    /// Refuses a new task of an app that has as much as it may have, or whose number leaves out too many.
    func check(
        _ snapshot: TaskSnapshot, in record: SessionRecord, of app: String, using usage: TaskUsage
    ) throws(SessionRefusal) {
        let skipped = snapshot.identifier.subtractingReportingOverflow(record.nextTask).partialValue
        guard skipped <= 0 || record.missing.count + skipped <= gap else {
            throw SessionRefusal(
                code: .invalid,
                message: """
                    'task' is \(snapshot.identifier), and the next number of the session is \(record.nextTask): at most \
                    \(gap) numbers may be left out, \(record.missing.count) are already
                    """)
        }
        guard usage.tasks < tasks else {
            throw SessionRefusal(
                code: .limitExceeded,
                message: """
                    \(app) has \(usage.tasks) tasks, suspended and unacknowledged ones included, and may have \
                    \(tasks); wait for some to end, or cancel some
                    """)
        }
        let more = snapshot.bookkeepingBytes
        guard usage.bytes + more <= bytes else {
            throw SessionRefusal(
                code: .limitExceeded,
                message: """
                    the tasks of \(app) have \(usage.bytes) bytes of addresses, header fields and notes, and may have \
                    \(bytes): \(more) more are too many
                    """)
        }
    }

    /// Refuses a change that makes an app's tasks take too much.
    func check(change bytes: Int, of app: String, using usage: TaskUsage) throws(SessionRefusal) {
        guard bytes > 0, usage.bytes + bytes > self.bytes else { return }
        throw SessionRefusal(
            code: .limitExceeded,
            message: "the tasks of \(app) have \(usage.bytes) bytes of notes and others, and may have \(self.bytes)")
    }
}

/// What the tasks of an app take.
package struct TaskUsage: Hashable, Sendable {
    /// The number of tasks, ended ones that are not acknowledged included.
    package var tasks = 0
    /// The bytes of their URLs, header fields, notes and answers.
    package var bytes = 0
}

extension TaskSnapshot {
    /// The bytes of all that its app may make as long as it likes; never 0.
    package var bookkeepingBytes: Int {
        var bytes = 64 + request.url.utf8.count + (note?.utf8.count ?? 0) + (continues?.utf8.count ?? 0)
        if case .upload(let path) = kind { bytes += path.utf8.count }
        return request.headers.reduce(bytes) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    }
}
