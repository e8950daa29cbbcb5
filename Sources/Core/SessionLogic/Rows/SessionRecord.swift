// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// The stored row of a session.
package struct SessionRecord: Hashable, Sendable, Codable {
    package var settings: SessionSettings
    /// The number after the highest task number so far. The first task is number 1.
    package var nextTask = 1
    /// The numbers below ``nextTask`` for which no task has arrived. An app may start its tasks in a different order
    /// than it creates them.
    package var missing = NumberRanges()
    /// The process that may still start the tasks in ``missing``.
    package var process: Int32?
    /// The time at which a process last opened the session.
    package var lastOpened: WallTime?
    /// The order number of the task that ended last. The numbers of events derive from it.
    ///
    /// The number grows by at least 1 with each end, and is at least the wall time of the end in milliseconds since
    /// 1970.
    package var ended: Int64 = 0
    /// The app's launch method; `nil` if no launch method is registered.
    package var registration: AppRegistration?
    /// The executable of the program that registered the launch method.
    package var registeredBy: String?
    /// Whether a sandboxed program has ever opened the session; `nil` in rows of earlier versions.
    package var isSandboxed: Bool?
    /// The shared containers whose sessions the app is started for.
    package var containers: Set<String>?
    /// Whether the user has force-quit the app. The app is then not started until the user starts it.
    package var isQuit = false
    /// Whether delayed tasks begin without a request to the app.
    package var skipsBeginRequests = false
    /// The bytes of canceled tasks that may still be continued, by resume token.
    package var kept: [String: KeptBytes] = [:]

    /// The stored keys, which stay if a property is renamed.
    private enum CodingKeys: String, CodingKey {
        case settings, nextTask, missing, process, lastOpened, ended, registration, registeredBy, isSandboxed
        case containers, isQuit
        case skipsBeginRequests = "isUnasked"
        case kept
    }

    package init(settings: SessionSettings) { self.settings = settings }
}

/// The bytes of a canceled task that may still be continued.
package struct KeptBytes: Hashable, Sendable, Codable {
    /// The paused transfer that has the bytes.
    package var transfer: TransferID
    package var since: WallTime
    /// The size of a download's partial file; `nil` in rows of earlier versions.
    package var bytes: Int64?
    /// The kept source file, if the task is an upload.
    package var source: KeptSource?

    package init(transfer: TransferID, since: WallTime, bytes: Int64? = nil, source: KeptSource? = nil) {
        self.transfer = transfer
        self.since = since
        self.bytes = bytes
        self.source = source
    }
}

extension SessionRecord {
    /// Whether the app can be started and wants to be started.
    var allowsLaunch: Bool { settings.sendsLaunchEvents && registration != nil && !isQuit }

    /// Returns whether a task with that number has not arrived yet.
    package func isNew(_ number: Int) -> Bool { number >= nextTask || missing.contains(number) }

    /// Records the arrival of a task.
    ///
    /// - Returns: `false` if the task has arrived before.
    mutating func recordArrival(_ number: Int) -> Bool {
        guard number >= nextTask else { return missing.remove(number) }
        missing.append(nextTask..<number)
        nextTask = number + 1
        return true
    }
}

/// A change to one stored row.
package enum SessionChange: Hashable, Sendable {
    case session(SessionKey, SessionRecord)
    case task(SessionKey, TaskRecord)
    case taskRemoved(SessionKey, Int)
    /// Removes a session together with all of its tasks.
    case removed(SessionKey)
}

/// A session as it is stored, with its tasks by number.
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
