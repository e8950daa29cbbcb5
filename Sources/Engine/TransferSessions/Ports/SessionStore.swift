// SPDX-License-Identifier: Apache-2.0
package import TransferEngine
package import TransferModel

/// Keeps sessions, their tasks and what their apps have not heard yet, beside the transfers.
package protocol SessionStore: Sendable {
    /// All that is kept, sessions in the order of their keys, tasks in that of their numbers.
    func sessions() async throws -> [StoredSession]
    /// Saves all of it or none, durably.
    func commit(_ changes: [SessionChange]) async throws
    /// The newest transfers that were handed over with these keys, by key, ended ones too.
    func transfers(forKeys keys: [String]) async throws -> [String: StoredTransfer]
    /// Those with these numbers, ended ones too.
    func transfers(_ ids: [TransferID]) async throws -> [StoredTransfer]
}

/// A session as it is kept.
package struct StoredSession: Hashable, Sendable {
    package var key: SessionKey
    package var record: SessionRecord
    package var tasks: [Int: TaskRecord]

    package init(key: SessionKey, record: SessionRecord, tasks: [Int: TaskRecord] = [:]) {
        self.key = key
        self.record = record
        self.tasks = tasks
    }
}

/// What is kept of a session itself.
package struct SessionRecord: Hashable, Sendable, Codable {
    package var settings: SessionSettings
    /// Higher than every number that a task had.
    package var nextTask = 1
    /// Numbers below that one of which no task has come yet: the app makes tasks in another order than it starts them.
    package var missing: Set<Int> = []
    /// The process that may still start those.
    package var process: Int32?
    /// When a process opened it last.
    package var lastOpened: WallTime?
    /// Counts the tasks that ended: what their events are numbered from.
    package var ended: Int64 = 0
    /// How its program is started; nil where nobody said.
    package var registration: AppRegistration?
    /// The executable of the program that said so.
    package var registeredBy: String?
    /// Whether a program in a sandbox has opened it; nil in rows of earlier versions.
    package var isSandboxed: Bool?
    /// The shared containers whose sessions the app is started for.
    package var containers: Set<String>?
    /// Whether a person ended its app for good: it is not started until somebody else has.
    package var isQuit = false
    /// Whether its app has nothing to say when a delayed task is to begin.
    package var isUnasked = false
    /// Bytes of cancelled tasks that may still be continued, by their tokens.
    package var kept: [String: KeptBytes] = [:]

    package init(settings: SessionSettings) { self.settings = settings }
}

/// The bytes of a cancelled task.
package struct KeptBytes: Hashable, Sendable, Codable {
    /// The paused transfer that has them.
    package var transfer: TransferID
    package var since: WallTime
    /// The bytes of a download's partial file; nil in rows of earlier versions.
    package var bytes: Int64?
    /// The kept file, of an upload.
    package var source: KeptSource?

    package init(transfer: TransferID, since: WallTime, bytes: Int64? = nil, source: KeptSource? = nil) {
        self.transfer = transfer
        self.since = since
        self.bytes = bytes
        self.source = source
    }
}

/// What is kept of a task.
package struct TaskRecord: Hashable, Sendable, Codable {
    package var snapshot: TaskSnapshot
    /// The transfer, where it is another than the one with the task's key.
    package var transfer: TransferID?
    /// Whether the app has cancelled it.
    package var isCancelled = false
    /// Whether the app had it started while in the background.
    package var isFromBackground = false
    /// How often the app has given it another request.
    package var generation = 0
    /// Whether the app has let a delayed task begin.
    package var mayBegin = false
    /// The kept file, of an upload that is not over.
    package var source: KeptSource?
    /// How it ended; nil while it has not.
    package var end: TaskEnd?
    /// How many of its last events the app has dealt with.
    package var acknowledged = 0

    package init(snapshot: TaskSnapshot) { self.snapshot = snapshot }
}

/// How a task ended.
package struct TaskEnd: Hashable, Sendable, Codable {
    /// Its place among the session's ends.
    package var order: Int64
    package var response: ResponseDescription?
    /// The finished file, and its size in bytes.
    package var file: String?
    package var fileBytes: Int64?
    /// What the server answered an upload with.
    package var body: [UInt8]?
    package var failure: FailureDescription?

    package init(
        order: Int64, response: ResponseDescription? = nil, file: String? = nil, body: [UInt8]? = nil,
        failure: FailureDescription? = nil
    ) {
        self.order = order
        self.response = response
        self.file = file
        self.body = body
        self.failure = failure
    }

    /// What the app is told, one after the other; the last is always `completed`.
    package var kinds: [SessionEvent.Kind] {
        var kinds: [SessionEvent.Kind] = []
        if let response { kinds.append(.responded(response)) }
        if let file { kinds.append(.downloaded(path: file)) }
        if let body, !body.isEmpty { kinds.append(.body(body)) }
        kinds.append(.completed(failure))
        return kinds
    }

    /// An end has no more events than that.
    static let mostEvents: Int64 = 8

    /// The number of the event in that place.
    func number(_ place: Int) -> EventNumber { order * Self.mostEvents + EventNumber(place) }
}

/// One change to what is kept.
package enum SessionChange: Hashable, Sendable {
    case session(SessionKey, SessionRecord)
    case task(SessionKey, TaskRecord)
    case taskRemoved(SessionKey, Int)
    /// With all of its tasks.
    case removed(SessionKey)
}
