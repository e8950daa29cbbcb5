// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// The stored row of a task.
package struct TaskRecord: Hashable, Sendable, Codable {
    package var snapshot: TaskSnapshot
    /// The task's transfer, if its key is not the task's own key.
    package var transfer: TransferID?
    /// Whether the app has canceled the task.
    package var isCancelled = false
    /// Whether the task's paused transfer must resume and the engine may not know that yet; `nil` if the engine
    /// knows.
    package var isResuming: Bool?
    /// Whether the app was in the background when it started the task.
    package var isFromBackground = false
    /// The number of times that the app has replaced the task's request.
    package var generation = 0
    /// Whether the app has let a delayed task begin.
    package var mayBegin = false
    /// The date that the app gave last, if the user has replaced it. The app's process still knows this date, and
    /// repeats it when it changes another property.
    package var replacedDate: WallTime?
    /// The kept source file, if the task is an unfinished upload.
    package var source: KeptSource?
    /// The outcome; `nil` while the task is unfinished.
    package var end: TaskEnd?
    /// The number of end events that the app has handled.
    package var acknowledged = 0

    package init(snapshot: TaskSnapshot) { self.snapshot = snapshot }
}

extension TaskRecord {
    /// The bytes that the task counts toward the app's quota, including the server's response. Never 0.
    var bookkeepingBytes: Int { snapshot.bookkeepingBytes + (end?.responseBytes ?? 0) }

    /// The end events that the app has not handled, with their indices.
    var waitingEvents: ArraySlice<(offset: Int, element: SessionEvent.Kind)> {
        Array((end?.kinds ?? []).enumerated()).dropFirst(acknowledged)
    }

    /// Applies a change of the app. A date that the app only repeats does not undo the user's change of the date.
    mutating func apply(_ change: TaskSnapshot) {
        snapshot.note = change.note
        snapshot.priority = change.priority
        snapshot.expectedToSend = change.expectedToSend
        snapshot.expectedToReceive = change.expectedToReceive
        let isRepeated = replacedDate != nil && change.earliestBegin == replacedDate
        guard !isRepeated, change.earliestBegin != snapshot.earliestBegin else { return }
        (snapshot.earliestBegin, replacedDate) = (change.earliestBegin, nil)
    }

    /// Replaces the date of the app by the date of the user.
    mutating func replaceDate(with date: WallTime) {
        replacedDate = replacedDate ?? snapshot.earliestBegin
        snapshot.earliestBegin = date
    }

    /// Removes possible secrets from a task that has ended: all header fields, the body, and all parts of a URL except
    /// server and path. The app still receives the task's last events.
    mutating func removeSecrets() {
        snapshot.request.headers = [:]
        snapshot.request.body = nil
        snapshot.request.url = RedactedURL.text(of: snapshot.request.url)
        snapshot.response?.removeSecrets()
        end?.response?.removeSecrets()
    }

    /// Returns the conditions under which the task may run.
    func constraints(by settings: SessionSettings) -> Constraints {
        let request = snapshot.request
        let mayCost =
            settings.allowsExpensiveNetworkAccess && settings.allowsConstrainedNetworkAccess
            && request.allowsExpensiveNetworkAccess ?? true && request.allowsConstrainedNetworkAccess ?? true
        var constraints = Constraints(metered: mayCost ? .unstated : .unmetered)
        if !settings.allowsCellularAccess || !snapshot.request.allowsCellularAccess {
            constraints.linkKinds = .only(
                LinkKind.allCases.filter { $0 != .cellular }.reduce(into: LinkKinds()) { $0.insert(LinkKinds($1)) })
        }
        if !mayBegin { constraints.notBefore = snapshot.earliestBegin.map(NotBeforeConstraint.init) }
        snapshot.conditions?.tighten(&constraints)
        return constraints
    }

    /// Returns the traits that the scheduler sees.
    func traits(in key: SessionKey, by settings: SessionSettings, at now: WallTime) -> TransferTraits {
        TransferTraits(
            kind: snapshot.conditions?.isDiscretionary ?? settings.isDiscretionary ? .discretionary : .normal,
            constraints: constraints(by: settings),
            priority: snapshot.schedulingPriority, host: "", app: key.app,
            expectedBytesToReceive: snapshot.expectedToReceive, expectedBytesToSend: snapshot.expectedToSend,
            submitted: now, session: key.identifier, slotsPerHost: settings.maximumConnectionsPerHost,
            isFromBackground: isFromBackground, expires: now.advanced(by: .seconds(settings.resourceTimeout)))
    }
}

extension TaskSnapshot {
    /// The priority as a number from 0 to 1000, converted from 0…1.
    var schedulingPriority: Int { Int((min(1, max(0, priority)) * 1000).rounded()) }

    /// Records the number of bytes that the task has transferred.
    mutating func recordBytes(_ bytes: Int64) {
        if kind == .download { received = bytes } else { sent = bytes }
    }
}

extension ResponseDescription {
    fileprivate mutating func removeSecrets() { url = RedactedURL.text(of: url) }
}

/// An upload's source file that is kept in the spool.
package struct KeptSource: Hashable, Sendable, Codable {
    /// The app whose quota the file counts toward.
    package var app: String
    /// The file's absolute path in the spool.
    package var path: String
    /// The size in bytes when the file was kept.
    package var size: Int64
    /// The kept file's modification time in nanoseconds since 1970.
    package var modified: Int64

    package init(app: String, path: String, size: Int64, modified: Int64) {
        self.app = app
        self.path = path
        self.size = size
        self.modified = modified
    }
}

/// An error for a task that cannot be carried out. Carries the failure that the app receives.
package struct UnusableTask: Error, Hashable, Sendable {
    package var failure: FailureDescription

    package init(code: Int, message: String) { failure = FailureDescription(code: code, message: message) }
}
