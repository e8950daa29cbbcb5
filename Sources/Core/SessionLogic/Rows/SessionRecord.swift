// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// What is kept of a session itself.
package struct SessionRecord: Hashable, Sendable, Codable {
    package var settings: SessionSettings
    /// Higher than every number that a task had.
    package var nextTask = 1
    /// Numbers below that one of which no task has come yet: the app makes tasks in another order than it starts them.
    package var missing = NumberRanges()
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

extension SessionRecord {
    /// Whether the app can be started, and wants to be.
    var allowsLaunch: Bool { settings.sendsLaunchEvents && registration != nil && !isQuit }

    /// Whether no task of that number has come yet.
    package func isNew(_ number: Int) -> Bool { number >= nextTask || missing.contains(number) }

    /// Takes down that a task has come; false where it has come before.
    mutating func take(_ number: Int) -> Bool {
        guard number >= nextTask else { return missing.remove(number) }
        missing.append(nextTask..<number)
        nextTask = number + 1
        return true
    }
}
