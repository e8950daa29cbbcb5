// SPDX-License-Identifier: Apache-2.0
internal import GRDB
internal import TransferEngine

/// The database schema, as a list of migrations to which migrations are only ever appended.
///
/// - `task` stores the specification of each transfer. A row is rewritten only to change the specification or to erase
///   possible secrets. Columns store the values that nearly all transfers have. `specification` stores the rest as
///   JSON, or `{}` if the rest has its defaults. Rows from versions without these columns store everything in
///   `specification`.
/// - `identifier` stores the largest ID of the deleted transfers, so that no ID is assigned twice. A new transfer
///   therefore writes no page except its own.
/// - `queue` has a row for each unfinished transfer, with the values that scheduling reads: numbers, and the number of
///   the transfer's `class`. Thousands of transfers share all other traits. A million rows are read without any text.
/// - `event` stores the state changes of transfers, append-only: changing a row in place would cost a page of the log
///   each time. In idle time, and before events become many, events are folded into `progress`. `progress` has rows
///   only for transfers whose state differs from the initial state.
/// - `ended` has a row for each finished transfer.
/// - `statistics` has at most one row: the scheduler's persisted statistics of the machine.
/// - `moment` and `condition` store the history, append-only.
/// - `session` and `session_task` store background sessions, and the tasks with events that an app has not received
///   yet.
enum Schema {
    typealias Migration = SchemaMigration

    /// All migrations, oldest first.
    static let migrations: [Migration] = [
        Migration(
            identifier: "1 transfers",
            sql: """
                CREATE TABLE identifier (
                    row INTEGER NOT NULL PRIMARY KEY CHECK (row = 1),
                    last INTEGER NOT NULL CHECK (last >= 0)
                ) STRICT;
                INSERT INTO identifier (row, last) VALUES (1, 0);

                CREATE TABLE task (
                    id INTEGER NOT NULL PRIMARY KEY CHECK (id > 0),
                    key TEXT CHECK (key <> ''),
                    specification TEXT NOT NULL CHECK (json_valid(specification)),
                    ending TEXT CHECK (ending IS NULL OR json_valid(ending))
                ) STRICT;
                CREATE INDEX task_key ON task (key, id) WHERE key IS NOT NULL;

                CREATE TABLE progress (
                    task INTEGER NOT NULL PRIMARY KEY REFERENCES task (id) ON DELETE CASCADE,
                    resume TEXT CHECK (resume IS NULL OR json_valid(resume)),
                    retry TEXT CHECK (retry IS NULL OR json_valid(retry)),
                    is_suspended INTEGER NOT NULL CHECK (is_suspended IN (0, 1))
                ) STRICT;
                """),
        Migration(
            identifier: "2 holds and what was learned",
            sql: """
                ALTER TABLE progress ADD COLUMN hold TEXT CHECK (hold IS NULL OR json_valid(hold));
                ALTER TABLE progress ADD COLUMN relaunch_hold TEXT
                    CHECK (relaunch_hold IS NULL OR json_valid(relaunch_hold));

                CREATE TABLE learned (
                    row INTEGER NOT NULL PRIMARY KEY CHECK (row = 1),
                    value TEXT NOT NULL CHECK (json_valid(value))
                ) STRICT;
                """),
        Migration(
            identifier: "3 history",
            sql: """
                CREATE TABLE moment (
                    number INTEGER NOT NULL PRIMARY KEY,
                    task INTEGER NOT NULL CHECK (task > 0),
                    time INTEGER NOT NULL,
                    kind TEXT NOT NULL,
                    note TEXT
                ) STRICT;
                CREATE INDEX moment_task ON moment (task);
                CREATE INDEX moment_time ON moment (time);

                CREATE TABLE condition (
                    number INTEGER NOT NULL PRIMARY KEY,
                    time INTEGER NOT NULL,
                    what TEXT NOT NULL CHECK (what IN ('begun', 'changed', 'ended')),
                    power TEXT NOT NULL,
                    level INTEGER CHECK (level BETWEEN 0 AND 100),
                    network TEXT NOT NULL,
                    link TEXT NOT NULL,
                    metered TEXT NOT NULL,
                    is_suspended INTEGER NOT NULL CHECK (is_suspended IN (0, 1))
                ) STRICT;
                """),
        Migration(
            identifier: "4 a queue of columns, and events",
            sql: """
                CREATE TABLE class (
                    number INTEGER NOT NULL PRIMARY KEY,
                    traits TEXT NOT NULL UNIQUE CHECK (json_valid(traits))
                ) STRICT;

                CREATE TABLE queue (
                    task INTEGER NOT NULL PRIMARY KEY REFERENCES task (id) ON DELETE CASCADE,
                    class INTEGER NOT NULL,
                    submitted INTEGER NOT NULL,
                    deadline INTEGER,
                    not_before INTEGER,
                    expected INTEGER,
                    sending INTEGER,
                    expires INTEGER
                ) STRICT;

                CREATE TABLE ended (
                    task INTEGER NOT NULL PRIMARY KEY REFERENCES task (id) ON DELETE CASCADE,
                    time INTEGER NOT NULL,
                    ending TEXT NOT NULL CHECK (json_valid(ending)),
                    class INTEGER NOT NULL,
                    submitted INTEGER NOT NULL,
                    deadline INTEGER,
                    not_before INTEGER,
                    expected INTEGER,
                    sending INTEGER,
                    expires INTEGER
                ) STRICT;

                CREATE TABLE event (
                    number INTEGER NOT NULL PRIMARY KEY,
                    task INTEGER NOT NULL REFERENCES task (id) ON DELETE CASCADE,
                    kind INTEGER NOT NULL CHECK (kind BETWEEN 1 AND 5),
                    value TEXT CHECK (value IS NULL OR json_valid(value))
                ) STRICT;
                CREATE INDEX event_task ON event (task);

                ALTER TABLE task ADD COLUMN url TEXT;
                ALTER TABLE task ADD COLUMN directory TEXT;
                ALTER TABLE task ADD COLUMN name TEXT;
                ALTER TABLE task ADD COLUMN collision TEXT;

                CREATE TEMPORARY TABLE old AS
                    SELECT id, ending, json_remove(
                        json_set(
                            json_extract(specification, '$.traits'), '$.submitted',
                            json('{"nanosecondsSinceEpoch":0}')),
                        '$.constraints.deadline', '$.constraints.notBefore', '$.expectedBytesToReceive',
                        '$.expectedBytesToSend', '$.expires') AS traits,
                    json_extract(specification, '$.traits.submitted.nanosecondsSinceEpoch') AS submitted,
                    json_extract(specification, '$.traits.constraints.deadline.date.nanosecondsSinceEpoch') AS deadline,
                    json_extract(specification, '$.traits.constraints.notBefore.date.nanosecondsSinceEpoch')
                        AS not_before,
                    json_extract(specification, '$.traits.expectedBytesToReceive') AS expected,
                    json_extract(specification, '$.traits.expectedBytesToSend') AS sending,
                    json_extract(specification, '$.traits.expires.nanosecondsSinceEpoch') AS expires
                    FROM task;
                INSERT INTO class (traits) SELECT DISTINCT traits FROM old WHERE traits IS NOT NULL;
                INSERT INTO queue (task, class, submitted, deadline, not_before, expected, sending, expires)
                    SELECT old.id, ifnull(class.number, 0), ifnull(submitted, 0), deadline, not_before, expected,
                        sending, expires
                    FROM old JOIN progress ON progress.task = old.id LEFT JOIN class ON class.traits = old.traits;
                INSERT INTO ended (task, time, ending, class, submitted, deadline, not_before, expected, sending,
                        expires)
                    SELECT old.id, unixepoch() * 1000000000, ending, ifnull(class.number, 0), ifnull(submitted, 0),
                        deadline, not_before, expected, sending, expires
                    FROM old LEFT JOIN class ON class.traits = old.traits WHERE ending IS NOT NULL;
                DROP TABLE old;
                ALTER TABLE task DROP COLUMN ending;
                DELETE FROM progress WHERE resume IS NULL AND retry IS NULL AND is_suspended = 0 AND hold IS NULL
                    AND relaunch_hold IS NULL;
                """),
        Migration(
            identifier: "5 sessions",
            sql: """
                CREATE TABLE session (
                    app TEXT NOT NULL,
                    identifier TEXT NOT NULL,
                    record TEXT NOT NULL CHECK (json_valid(record)),
                    PRIMARY KEY (app, identifier)
                ) STRICT, WITHOUT ROWID;

                CREATE TABLE session_task (
                    app TEXT NOT NULL,
                    identifier TEXT NOT NULL,
                    number INTEGER NOT NULL CHECK (number > 0),
                    record TEXT NOT NULL CHECK (json_valid(record)),
                    PRIMARY KEY (app, identifier, number),
                    FOREIGN KEY (app, identifier) REFERENCES session (app, identifier) ON DELETE CASCADE
                ) STRICT;
                """),
        Migration(
            identifier: "6 numbers outlive their transfers",
            sql: """
                CREATE TRIGGER task_forgotten BEFORE DELETE ON task
                    WHEN old.id > (SELECT last FROM identifier)
                BEGIN
                    UPDATE identifier SET last = old.id;
                END;
                """),
    ]

    /// Migrates the database in one transaction, so that processes that open it at the same time do not collide.
    ///
    /// - Throws: `TransferStoreError` if a newer version wrote the database, or if it belongs to another program.
    static func migrate(
        _ database: Database, path: String, to migrations: [Migration] = migrations
    ) throws {
        try database.inTransaction(.immediate) {
            let applied = try applied(in: database, path: path)
            try check(applied, path: path, known: migrations)
            for migration in migrations.dropFirst(applied.count) {
                try database.execute(sql: migration.sql)
                try database.execute(
                    sql: "INSERT INTO migration (identifier) VALUES (?)", arguments: [migration.identifier])
            }
            return .commit
        }
    }

    /// Checks that the database can be migrated, and changes nothing.
    ///
    /// - Throws: `TransferStoreError` if a newer version wrote the database.
    static func check(
        _ database: Database, path: String, against migrations: [Migration] = migrations
    ) throws {
        guard try database.tableExists("migration") else { return }
        try check(try recorded(in: database), path: path, known: migrations)
    }

    private static func check(_ applied: [String], path: String, known: [Migration]) throws {
        guard applied == known.prefix(applied.count).map(\.identifier) else {
            throw TransferStoreError(
                code: .newerSchema,
                message: """
                    The queue \(path) was written by a newer version of this program. \
                    Update this program, or use another state folder. Nothing was changed.
                    """)
        }
    }

    /// Returns the identifiers of the migrations that were applied to the database, in order.
    private static func applied(in database: Database, path: String) throws -> [String] {
        if try !database.tableExists("migration") {
            let tables = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") ?? 0
            guard tables == 0 else {
                throw TransferStoreError(
                    code: .other,
                    message: """
                        \(path) is the database of another program, not a transfer queue. \
                        Choose another file or state folder. Nothing was changed.
                        """)
            }
            try database.execute(
                sql: """
                    CREATE TABLE migration (
                        number INTEGER NOT NULL PRIMARY KEY,
                        identifier TEXT NOT NULL UNIQUE
                    ) STRICT
                    """)
        }
        return try recorded(in: database)
    }

    private static func recorded(in database: Database) throws -> [String] {
        try String.fetchAll(database, sql: "SELECT identifier FROM migration ORDER BY number")
    }
}

/// A change of the database's schema. The database records the identifier, so the identifier never changes.
package struct SchemaMigration: Hashable, Sendable {
    /// The name of the migration, which begins with the number of the schema's version.
    package var identifier: String
    /// The statements of the change.
    package var sql: String

    /// Creates a migration.
    package init(identifier: String, sql: String) {
        self.identifier = identifier
        self.sql = sql
    }
}
