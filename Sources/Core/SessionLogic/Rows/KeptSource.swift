// SPDX-License-Identifier: Apache-2.0

/// An upload's source file that is kept in the spool.
package struct KeptSource: Hashable, Sendable, Codable {
    /// The app whose quota the file counts toward.
    package var app: String
    /// The file's absolute path in the spool.
    package var path: String
    /// The size in bytes when the file was kept.
    package var size: Int64
    /// The kept file's modification time in nanoseconds since 1970.
    package var modified: Int64

    package init(app: String, path: String, size: Int64, modified: Int64) {
        self.app = app
        self.path = path
        self.size = size
        self.modified = modified
    }
}
