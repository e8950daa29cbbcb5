// SPDX-License-Identifier: Apache-2.0

/// The unique key of a session: the app, and the session's identifier within the app.
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

    /// Returns the key of a task's transfer in the store. No other transfer has the same key.
    ///
    /// The key contains the length of the app's name, because both names may contain any characters.
    ///
    /// - Parameter generation: The number of times the task's request was replaced.
    package func transferKey(of task: Int, again generation: Int = 0) -> String {
        "session \(app.utf8.count) \(app) \(identifier) \(task).\(generation)"
    }
}

/// The settings of a session. The defaults are Apple's.
package struct SessionSettings: Hashable, Sendable, Codable {
    package var identifier: String
    package var isDiscretionary = false
    package var sendsLaunchEvents = true
    /// The time without a byte after which an attempt fails, in seconds.
    package var requestTimeout: Double = 60
    /// The maximum time of a task, including waits, in seconds.
    package var resourceTimeout: Double = 604_800
    package var allowsCellularAccess = true
    package var allowsExpensiveNetworkAccess = true
    package var allowsConstrainedNetworkAccess = true
    package var additionalHeaders: [String: String] = [:]
    package var maximumConnectionsPerHost = 6
    package var sharedContainerIdentifier: String?
    package var allowsInsecureRedirect = false
    /// A Boolean value that indicates whether the app supplies a token if a server requires one. Otherwise, the
    /// server's refusal is the response.
    package var answersBearerChallenges: Bool {
        get { answersBearer ?? false }
        set { answersBearer = newValue ? true : nil }
    }
    // Optional, because stored rows of earlier versions lack this field.
    private var answersBearer: Bool?

    package init(identifier: String) { self.identifier = identifier }
}

/// An error: a session cannot be opened, or a task cannot be submitted.
package struct SessionRefusal: Error, Hashable, Sendable, Codable, CustomStringConvertible {
    package enum Code: String, Hashable, Sendable, Codable, CaseIterable {
        case badIdentifier
        /// Another process uses the session.
        case inUse
        /// The request is invalid. The message names a valid request.
        case invalid
        /// The app has reached the limit of a resource.
        case limitExceeded
        /// The session does not exist, or the caller may not use it.
        case noSuchSession
        /// The request could not be saved, or the daemon cannot be reached.
        case unavailable
    }

    package var code: Code
    /// A description of the problem and its remedy.
    package var message: String
    /// The process that uses the session, if the code is `inUse`.
    package var owner: Int32?

    package init(code: Code, message: String, owner: Int32? = nil) {
        self.code = code
        self.message = message
        self.owner = owner
    }

    package var description: String { message }
}

/// The way in which an app is launched for its sessions.
package enum AppRegistration: Hashable, Sendable, Codable {
    /// A launch by a call to the app's name on D-Bus.
    case busName(String)
    /// A launch by a command line: the absolute path of a program, and its arguments.
    case command([String])
}

/// The state of a session when a process opens it.
package struct SessionState: Hashable, Sendable, Codable {
    /// The identifier of the next new task, higher than the identifier of any earlier task of the session.
    package var nextTask: Int
    /// The unfinished tasks, and the ended tasks whose events the app has not yet handled.
    package var tasks: [TaskSnapshot]
    /// A warning for the app's log, for example that the app cannot be launched.
    package var warning: String?
    /// A Boolean value that indicates whether the app is in the foreground, as far as the daemon knows.
    package var isInFront = true
    /// The app that owns the session, or `nil` for the caller itself. Another app is the owner if it registered the
    /// session's shared container.
    package var app: String?
    /// The absolute path of the folder for the files of named tasks. `nil` if the service cannot name a folder that
    /// the program reaches.
    package var namedFilesFolder: String?

    // `app` is left out, because readers take it from the session's D-Bus path.
    private enum CodingKeys: CodingKey {
        case nextTask
        case tasks
        case warning
        case isInFront
        case namedFilesFolder
    }

    package init(nextTask: Int, tasks: [TaskSnapshot], warning: String? = nil) {
        self.nextTask = nextTask
        self.tasks = tasks
        self.warning = warning
    }
}
