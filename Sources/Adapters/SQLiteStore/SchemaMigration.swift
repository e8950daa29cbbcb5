// SPDX-License-Identifier: Apache-2.0

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
