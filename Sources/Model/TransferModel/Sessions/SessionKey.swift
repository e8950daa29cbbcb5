// SPDX-License-Identifier: Apache-2.0

/// Tells one session from every other: its identifier is its app's own.
package struct SessionKey: Hashable, Sendable, Codable, Comparable {
    package var app: String
    package var identifier: String

    package init(app: String, identifier: String) {
        self.app = app
        self.identifier = identifier
    }

    package static func < (left: Self, right: Self) -> Bool {
        (left.app, left.identifier) < (right.app, right.identifier)
    }

    /// What a task's transfer is found by in the store; no other transfer has it. The lengths part the two names, which may
    /// hold anything.
    ///
    /// - Parameter generation: how often the task was given another request.
    package func transferKey(of task: Int, again generation: Int = 0) -> String {
        "session \(app.utf8.count) \(app) \(identifier) \(task).\(generation)"
    }
}

/// What a session works by; defaults are Apple's.
package struct SessionSettings: Hashable, Sendable, Codable {
    package var identifier: String
    package var isDiscretionary = false
    package var sendsLaunchEvents = true
    /// Seconds without a byte after which an attempt has failed.
    package var requestTimeout: Double = 60
    /// Seconds that a task may take, waiting included.
    package var resourceTimeout: Double = 604_800
    package var allowsCellularAccess = true
    package var allowsExpensiveNetworkAccess = true
    package var allowsConstrainedNetworkAccess = true
    package var additionalHeaders: [String: String] = [:]
    package var maximumConnectionsPerHost = 6
    package var sharedContainerIdentifier: String?
    package var allowsInsecureRedirect = false
    /// Whether the app is asked for a token where a server wants one; else the server's refusal is its answer.
    package var answersBearerChallenges: Bool {
        get { answersBearer ?? false }
        set { answersBearer = newValue ? true : nil }
    }
    // Optional, because rows of earlier versions have none.
    private var answersBearer: Bool?

    package init(identifier: String) { self.identifier = identifier }
}

/// A session will not be opened, or a task not be taken.
package struct SessionRefusal: Error, Hashable, Sendable, Codable, CustomStringConvertible {
    package enum Code: String, Hashable, Sendable, Codable, CaseIterable {
        case badIdentifier
        /// Another process uses the session.
        case inUse
        /// The order makes no sense; the message says what would.
        case invalid
        /// The app has as much of something as it may have.
        case limitExceeded
        /// There is no such session, or not for this caller.
        case noSuchSession
        /// It could not be saved, or the other side cannot be reached.
        case unavailable
    }

    package var code: Code
    /// What was wrong, and what to do.
    package var message: String
    /// The process that uses the session, where another one does.
    package var owner: Int32?

    package init(code: Code, message: String, owner: Int32? = nil) {
        self.code = code
        self.message = message
        self.owner = owner
    }

    package var description: String { message }
}

/// How a program is started for its sessions.
package enum AppRegistration: Hashable, Sendable, Codable {
    /// By a call to its name on the bus.
    case busName(String)
    /// By these words: a program's absolute path and what it is given.
    case command([String])
}

/// A session as a process finds it.
package struct SessionState: Hashable, Sendable, Codable {
    /// The identifier of the next new task: higher than any that a task of the session ever had.
    package var nextTask: Int
    /// Tasks that are not over, and those that are but whose events have not been dealt with.
    package var tasks: [TaskSnapshot]
    /// What the app should know, for its log: that it cannot be started, for example.
    package var warning: String?
    /// Whether a person works with the program, as far as is known here.
    package var isInFront = true
    /// The app whose session it is, where that is not the caller's own: the one that is registered for its shared container.
    package var app: String?

    // Without the app: whoever is told of the session reads it from the session's path.
    private enum CodingKeys: CodingKey {
        case nextTask
        case tasks
        case warning
        case isInFront
    }

    package init(nextTask: Int, tasks: [TaskSnapshot], warning: String? = nil) {
        self.nextTask = nextTask
        self.tasks = tasks
        self.warning = warning
    }
}
