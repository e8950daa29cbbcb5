// SPDX-License-Identifier: Apache-2.0
internal import GRDB
internal import TransferEngine

/// The tables, as a list of migrations that only ever grows at its end.
///
/// `task` holds what a transfer is and how it ended, `progress` what changes while it lives: a row there is what makes
/// a transfer unfinished, and `task` rows are not rewritten by checkpoints. Rows of `progress` are updated in place.
/// Append-only event rows would be faster with thousands of transitions a second; a queue of downloads makes one every
/// 8 MiB or 2 s of each running transfer, where the `fdatasync` is the whole cost, and a row updated in place needs no
/// folding between processes. A later migration can add an event table without touching these two. `learned` has one row
/// at most: what the scheduler has learned of the machine.
enum Schema {
    /// One step; its identifier is recorded in the database and never changes.
    struct Migration: Sendable {
        var identifier: String
        var sql: String
    }

    /// Every step so far, oldest first.
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
    ]

    /// Brings the database up to date in one transaction, so that processes that open it together do not collide.
    static func migrate(
        _ database: Database, path: String, to migrations: [Migration] = migrations
    ) throws {
        try database.inTransaction(.immediate) {
            let applied = try applied(in: database, path: path)
            let known = migrations.map(\.identifier)
            guard applied == Array(known.prefix(applied.count)) else {
                throw TransferStoreError(
                    code: .newerSchema,
                    message: """
                        The queue \(path) was written by a newer version of this program. \
                        Update this one, or use another state folder; nothing was changed.
                        """)
            }
            for migration in migrations.dropFirst(applied.count) {
                try database.execute(sql: migration.sql)
                try database.execute(
                    sql: "INSERT INTO migration (identifier) VALUES (?)", arguments: [migration.identifier])
            }
            return .commit
        }
    }

    /// The identifiers of the steps that the database has been through, in their order.
    private static func applied(in database: Database, path: String) throws -> [String] {
        if try !database.tableExists("migration") {
            let tables = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") ?? 0
            guard tables == 0 else {
                throw TransferStoreError(
                    code: .other,
                    message: """
                        \(path) is the database of another program, not a transfer queue. \
                        Choose another file or state folder; nothing was changed.
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
        return try String.fetchAll(database, sql: "SELECT identifier FROM migration ORDER BY number")
    }
}
