// SPDX-License-Identifier: Apache-2.0
import ProgramVersion
package import SQLiteStore
package import TransferModel

/// The properties of the daemon that change from release to release: its version, and its queue's schema.
package struct DaemonRelease: Sendable {
    /// The version that the daemon prints, and that the bus tells.
    package var version: SoftwareVersion
    /// Migrations that follow those of `SQLiteStore`.
    package var laterMigrations: [SchemaMigration]

    /// Creates the description of a release.
    package init(version: SoftwareVersion, laterMigrations: [SchemaMigration] = []) {
        self.version = version
        self.laterMigrations = laterMigrations
    }

    /// The release that runs.
    @TaskLocal static var current = DaemonRelease(version: .ofThisBuild)
}
