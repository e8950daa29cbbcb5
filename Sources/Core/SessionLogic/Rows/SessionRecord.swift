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
    /// The app's launch method; `nil` if nobody has registered one.
    package var registration: AppRegistration?
    /// The executable of the program that registered the launch method.
    package var registeredBy: String?
    /// Whether a sandboxed program has ever opened the session; `nil` in rows of earlier versions.
    package var isSandboxed: Bool?
    /// The shared containers whose sessions the app is started for.
    package var containers: Set<String>?
    /// Whether a person quit the app for good. The app is then not started until somebody else starts it.
    package var isQuit = false
    /// Whether the app does not want to be asked when a delayed task is about to begin.
    package var isUnasked = false
    /// The bytes of canceled tasks that may still be continued, by resume token.
    package var kept: [String: KeptBytes] = [:]

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

    /// Returns whether no task with that number has arrived yet.
    package func isNew(_ number: Int) -> Bool { number >= nextTask || missing.contains(number) }

    /// Records the arrival of a task. Returns `false` if the task has arrived before.
    mutating func take(_ number: Int) -> Bool {
        guard number >= nextTask else { return missing.remove(number) }
        missing.append(nextTask..<number)
        nextTask = number + 1
        return true
    }
}
