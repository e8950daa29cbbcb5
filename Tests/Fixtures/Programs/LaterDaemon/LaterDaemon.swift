// SPDX-License-Identifier: Apache-2.0
import SQLiteStore
import TransferDaemon
import TransferModel

/// The daemon of a later release, which migrates the queue.
@main
enum LaterDaemon {
    static func main() {
        let release = DaemonRelease(
            version: SoftwareVersion(number: "99.1.0", commit: "1a7e51a7e5a7"),
            laterMigrations: [
                SchemaMigration(
                    identifier: "99 a later release",
                    sql: """
                        CREATE TABLE later (task INTEGER NOT NULL PRIMARY KEY) STRICT;
                        INSERT INTO later (task) SELECT id FROM task;
                        """)
            ])
        DaemonProgram.main(release)
    }
}
