// SPDX-License-Identifier: Apache-2.0

/// Where a store keeps its queue, which part of it concerns its owner, and how long the past is kept.
public struct SQLiteStoreConfiguration: Hashable, Sendable {
    /// Which transfers `recover` hands over.
    public enum Scope: Hashable, Sendable {
        /// All of them: a daemon owns its whole queue.
        case all
        /// Those of these keys only: a `get` continues its own and leaves those of its neighbours alone.
        case keys([String])
    }

    /// How long what is over is kept; whichever comes first.
    public struct Retention: Hashable, Sendable {
        /// Ended transfers, and what was recorded of transfers and of the machine, are forgotten at this age.
        public var age: Duration
        /// So many ended transfers are kept, the newest.
        public var count: Int

        /// A retention; 30 days and 10 000 ended transfers unless said otherwise.
        public init(age: Duration = .seconds(30 * 86_400), count: Int = 10_000) {
            self.age = max(.zero, age)
            self.count = max(0, count)
        }
    }

    /// The database file's path. Its folder is made (mode 0700) where it is missing; the file has mode 0600.
    public var path: String
    /// Which transfers `recover` hands over. Default: all.
    public var scope: Scope
    /// How long to wait for another process that writes at the same time before it counts as hung. Default: 30 s.
    public var busyTimeout: Duration
    /// How long what is over is kept.
    public var retention = Retention()
    /// Whether a backup is kept beside the database, renewed once a day, and after secrets of transfers have ended. Default:
    /// false.
    public var keepsBackup = false
    /// Whether a damaged file is moved aside when it is opened, and the backup, where there is a good one, takes its
    /// place; else it is left alone and the opening fails. Default: false.
    public var repairsDamage = false
    /// How long nothing was committed before upkeep is done: folding, forgetting, the backup. Default: 5 s.
    public var idleTime: Duration = .seconds(5)
    /// How long upkeep waits for idle time at most: a store that is always busy does it then, beside its commits. Default:
    /// one day.
    public var upkeepInterval: Duration = .seconds(86_400)
    /// The same where the backup holds secrets of transfers that have ended since it was made. Default: one hour.
    public var secretsInterval: Duration = .seconds(3600)

    /// A configuration; what is not named has its default.
    public init(path: String, scope: Scope = .all, busyTimeout: Duration = .seconds(30)) {
        self.path = path
        self.scope = scope
        self.busyTimeout = busyTimeout
    }
}
