// SPDX-License-Identifier: Apache-2.0

/// An app with transfers, background sessions or a relaunch delay.
package struct AppSummary: Hashable, Sendable, Codable {
    /// The app's name.
    package var app: String
    /// Its unfinished transfers, and how many of them run, wait and are paused.
    package var open = 0
    package var running = 0
    package var waiting = 0
    package var paused = 0
    /// The identifiers of its sessions, in order.
    package var sessions: [String] = []
    /// Seconds that its background work waits, since it was started again and again.
    package var delay: Int64 = 0
    /// Unfinished tasks of its sessions, suspended ones included.
    package var tasks = 0
    /// Kept files of uploads.
    package var sourceFiles = 0
    package var sourceBytes: Int64 = 0
    /// Downloads of its sessions that it has not taken.
    package var finishedFiles = 0
    package var finishedBytes: Int64 = 0
    /// What its unfinished downloads have so far.
    package var partialBytes: Int64 = 0
    /// What counts towards `bytesLimit`.
    package var countedBytes: Int64 = 0
    package var bytesLimit: Int64 = 0
    /// What is known of it where it has background sessions.
    package var background: Background?

    /// An app without transfers.
    package init(app: String) { self.app = app }

    /// An app with background sessions.
    package struct Background: Hashable, Sendable, Codable {
        /// Whether one of its processes has a session open.
        package var isConnected = false
        /// Whether a person works with it.
        package var isInFront = false
        /// What it has not dealt with yet.
        package var waitingEvents = 0
        /// Starts since the service began, and those that came to nothing.
        package var launches = 0
        package var failures = 0
        /// Of the failures: those without a program, those that ended at once, and those that did not take the call.
        package var missing = 0
        package var crashed = 0
        package var silent = 0
        package var lastLaunch: WallTime?
        /// What came of the last start: started, missing, crashed or silent.
        package var lastOutcome: String?
        /// Why the last start came to nothing.
        package var lastWords: String?
        /// How it is started.
        package var registration: AppRegistration?
        /// The executable of the program that said how.
        package var registeredBy: String?

        /// An app that nothing is known of.
        package init() {}
    }
}

/// The delay of an app's background work after it was started again and again.
package struct RelaunchDelay: Hashable, Sendable, Codable {
    /// Transfers that wait for the same moment.
    package struct Waiting: Hashable, Sendable, Codable {
        /// When they may begin.
        package var release: WallTime
        /// How many there are.
        package var count: Int

        /// Transfers that wait.
        package init(release: WallTime, count: Int) { (self.release, self.count) = (release, count) }
    }

    /// The app.
    package var app: String
    /// Seconds, counted from the last start of the app.
    package var delay: Int64
    /// How many starts led to it.
    package var relaunches: Int
    /// When the last of them was.
    package var last: WallTime?
    /// When the delay's period ends; nil where it is over.
    package var until: WallTime?
    /// What keeps the delay up: period, heldTask or relaunch.
    package var cause: String
    /// The transfers that wait, soonest first.
    package var waiting: [Waiting] = []
    /// Transfers that were held, may begin by now and are not over.
    package var begun = 0

    /// A delay.
    package init(app: String, delay: Int64, relaunches: Int, cause: String) {
        (self.app, self.delay, self.relaunches, self.cause) = (app, delay, relaunches, cause)
    }
}
