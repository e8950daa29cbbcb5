// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// The limits on how much data an app may have the host keep for it (rule C5).
package struct SessionLimits: Hashable, Sendable {
    /// The maximum number of tasks per app. Suspended tasks count, and so do ended tasks that are not acknowledged.
    /// Default: 10,000.
    package var tasks = 10_000
    /// The maximum number of sessions per app. Default: 100.
    package var sessions = 100
    /// The maximum number of bytes in URLs, header fields, request bodies, notes, and responses per app. Default: 14 MiB.
    ///
    /// The bytes of all tasks and of all unfinished transfers count. The daemon keeps each byte at most twice, which
    /// is below 32 MB of memory and 64 MB of disk per app.
    package var bytes = 14 << 20
    /// The maximum number of skipped task numbers per session. An app may start its tasks in a different order than
    /// it creates them. Default: 10,000.
    package var skippedNumbers = 10_000

    /// Creates the default limits.
    package init() {}

    /// Throws a refusal if an app already has its maximum number of sessions.
    func check(sessions count: Int, of app: String) throws(SessionRefusal) {
        guard count >= sessions else { return }
        throw SessionRefusal(
            code: .limitExceeded,
            message: "\(app) has \(count) sessions and may have \(sessions); use an existing session")
    }

    /// Throws a refusal if a new task exceeds the app's limits, or if its number skips too many numbers.
    func check(
        _ snapshot: TaskSnapshot, in record: SessionRecord, of app: String, using usage: TaskUsage
    ) throws(SessionRefusal) {
        let skipped = snapshot.identifier.subtractingReportingOverflow(record.nextTask).partialValue
        guard skipped <= 0 || record.missing.count + skipped <= skippedNumbers else {
            throw SessionRefusal(
                code: .invalid,
                message: """
                    'task' is \(snapshot.identifier), and the session's next task number is \(record.nextTask); at most \
                    \(skippedNumbers) numbers may be skipped, and \(record.missing.count) already are
                    """)
        }
        guard usage.tasks < tasks else {
            throw SessionRefusal(
                code: .limitExceeded,
                message: """
                    \(app) has \(usage.tasks) tasks, including suspended and unacknowledged tasks, and may have \
                    \(tasks); wait for tasks to end, or cancel some
                    """)
        }
        let more = snapshot.bookkeepingBytes
        guard usage.bytes + more <= bytes else {
            throw SessionRefusal(
                code: .limitExceeded,
                message: """
                    the tasks of \(app) have \(usage.bytes) bytes of URLs, header fields, request bodies, and notes, \
                    and may have \(bytes); \(more) more bytes exceed the limit
                    """)
        }
    }

    /// Throws a refusal if a change makes an app's tasks too large.
    func check(change bytes: Int, of app: String, using usage: TaskUsage) throws(SessionRefusal) {
        guard bytes > 0, usage.bytes + bytes > self.bytes else { return }
        throw SessionRefusal(
            code: .limitExceeded,
            message: """
                the tasks of \(app) have \(usage.bytes) bytes of URLs, header fields, request bodies, and notes, and \
                may have \(self.bytes); \(bytes) more bytes exceed the limit
                """)
    }
}

/// The resources that the tasks of an app use.
package struct TaskUsage: Hashable, Sendable {
    /// The number of tasks, including ended tasks that are not acknowledged.
    package var tasks = 0
    /// The bytes of the tasks' URLs, header fields, request bodies, notes, and responses.
    package var bytes = 0
}

extension TaskSnapshot {
    /// The size in bytes of everything whose length the app controls. Never 0.
    package var bookkeepingBytes: Int {
        var bytes = 64 + request.url.utf8.count + (note?.utf8.count ?? 0) + (continues?.utf8.count ?? 0)
        if case .upload(let path) = kind { bytes += path.utf8.count }
        bytes += request.body?.count ?? 0
        if let name { bytes += name.id.utf8.count + name.fingerprint.utf8.count }
        bytes += conditions?.bookkeepingBytes ?? 0
        return request.headers.reduce(bytes) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    }
}
