// SPDX-License-Identifier: Apache-2.0

/// A summary of an app that has transfers, background sessions, or a relaunch delay.
package struct AppSummary: Hashable, Sendable, Codable {
    /// The name of the app.
    package var app: String
    /// The number of unfinished transfers. The next three properties count running, waiting, and paused transfers.
    package var open = 0
    package var running = 0
    package var waiting = 0
    package var paused = 0
    /// The identifiers of the app's sessions, in order.
    package var sessions: [String] = []
    /// The relaunch delay of the app's background work, in seconds.
    package var delay: Int64 = 0
    /// The number of unfinished tasks in the app's sessions, including suspended tasks.
    package var tasks = 0
    /// The number of upload files kept for the app. `sourceBytes` is their total size.
    package var sourceFiles = 0
    package var sourceBytes: Int64 = 0
    /// The number of finished session downloads that the app has not claimed. `finishedBytes` is their total size.
    package var finishedFiles = 0
    package var finishedBytes: Int64 = 0
    /// The bytes of unfinished downloads so far.
    package var partialBytes: Int64 = 0
    /// The bytes that count toward `bytesLimit`.
    package var countedBytes: Int64 = 0
    package var bytesLimit: Int64 = 0
    /// The state of the app's background sessions, or `nil` if the app has none.
    package var background: Background?

    /// Creates a summary without transfers.
    package init(app: String) { self.app = app }

    /// The state of an app with background sessions.
    package struct Background: Hashable, Sendable, Codable {
        /// A Boolean value that indicates whether a process of the app has a session open.
        package var isConnected = false
        /// A Boolean value that indicates whether the app is in the foreground.
        package var isInFront = false
        /// The number of events that the app has not handled.
        package var waitingEvents = 0
        /// The number of launches since the service began. `failures` counts the failed launches.
        package var launches = 0
        package var failures = 0
        /// The failed launches by kind: program missing, process ended immediately (`crashed`), and call not accepted
        /// (`silent`).
        package var missing = 0
        package var crashed = 0
        package var silent = 0
        package var lastLaunch: WallTime?
        /// The outcome of the last launch: started, missing, crashed, or silent.
        package var lastOutcome: String?
        /// The reason why the last launch failed.
        package var lastError: String?
        /// The way in which the app is launched.
        package var registration: AppRegistration?
        /// The executable of the program that registered the app.
        package var registeredBy: String?

        /// Creates the state of an unknown app.
        package init() {}
    }
}

/// The delay of an app's background work after repeated launches of the app.
package struct RelaunchDelayStatus: Hashable, Sendable, Codable {
    /// A group of transfers that wait for the same moment.
    package struct Waiting: Hashable, Sendable, Codable {
        /// The date on which the transfers may begin.
        package var release: WallTime
        /// The number of transfers in the group.
        package var count: Int

        /// Creates a group of waiting transfers.
        package init(release: WallTime, count: Int) { (self.release, self.count) = (release, count) }
    }

    /// The name of the app.
    package var app: String
    /// The delay in seconds, measured from the last launch of the app.
    package var delay: Int64
    /// The number of launches that produced the delay.
    package var relaunches: Int
    /// The date of the last launch.
    package var last: WallTime?
    /// The end of the delay's period, or `nil` if the period has ended.
    package var until: WallTime?
    /// The cause that keeps the delay above 0: period, delayedTask, or relaunch.
    package var cause: String
    /// The waiting transfers, soonest first.
    package var waiting: [Waiting] = []
    /// The number of unfinished transfers whose delay has passed.
    package var begun = 0

    /// Creates a delay without waiting transfers.
    package init(app: String, delay: Int64, relaunches: Int, cause: String) {
        (self.app, self.delay, self.relaunches, self.cause) = (app, delay, relaunches, cause)
    }
}
