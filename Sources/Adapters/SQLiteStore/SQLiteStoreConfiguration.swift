// SPDX-License-Identifier: Apache-2.0

/// The location of a store's database, the part of the queue that its owner recovers, and the retention of history.
///
/// ```swift
/// var configuration = SQLiteStoreConfiguration(path: "/var/lib/example/queue.sqlite")
/// configuration.keepsBackup = true
/// let store = try SQLiteStore(configuration)
/// ```
public struct SQLiteStoreConfiguration: Hashable, Sendable {
    /// The set of transfers that `recover` returns.
    public enum Scope: Hashable, Sendable {
        /// All transfers. A daemon owns its whole queue.
        case all
        /// Only transfers with these keys. A `get` command continues its own transfers and leaves other transfers
        /// alone.
        case keys([String])
    }

    /// The limits on how long finished transfers are kept. The limit that is reached first applies.
    ///
    /// ```swift
    /// configuration.retention = SQLiteStoreConfiguration.Retention(age: .seconds(7 * 86_400), count: 1000)
    /// ```
    public struct Retention: Hashable, Sendable {
        /// The age at which finished transfers, their history, and the machine's history are deleted. Default: 30
        /// days.
        public var age: Duration
        /// The number of finished transfers that are kept, newest first. Default: 10,000.
        public var count: Int

        /// Creates a retention. Negative values become zero.
        public init(age: Duration = .seconds(30 * 86_400), count: Int = 10_000) {
            self.age = max(.zero, age)
            self.count = max(0, count)
        }
    }

    /// The path of the database file. A missing folder is created with mode 0700; the file has mode 0600.
    public var path: String
    /// The set of transfers that `recover` returns. Default: all.
    public var scope: Scope
    /// The maximum wait for another process that is writing. After this time, that process counts as hung. Default: 30
    /// s.
    public var busyTimeout: Duration
    /// The retention of finished transfers and history.
    public var retention = Retention()
    /// A Boolean value that indicates whether a backup is kept next to the database. The backup is renewed once a day,
    /// and after transfers with secrets have ended. Default: false.
    public var keepsBackup = false
    /// A Boolean value that indicates whether opening a damaged file moves the file aside and restores a backup, if a
    /// good backup exists. Otherwise the damaged file is left alone and opening fails. Default: false.
    public var repairsDamage = false
    /// The time without commits after which upkeep (folding events, deleting expired rows, renewing the backup)
    /// starts. Default: 5 s.
    public var idleTime: Duration = .seconds(5)
    /// The maximum time that upkeep waits for idle time. A store that is always busy then performs upkeep concurrently
    /// with its commits. Default: one day.
    public var upkeepInterval: Duration = .seconds(86_400)
    /// The maximum time that upkeep waits if the backup contains secrets of transfers that have since ended. Default:
    /// one hour.
    public var secretsInterval: Duration = .seconds(3600)
    /// Migrations of later releases, applied after this release's own. Default: none.
    package var laterMigrations: [SchemaMigration] = []

    /// Creates a configuration with the defaults for all other properties.
    public init(path: String, scope: Scope = .all, busyTimeout: Duration = .seconds(30)) {
        self.path = path
        self.scope = scope
        self.busyTimeout = busyTimeout
    }
}
