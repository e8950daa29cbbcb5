// SPDX-License-Identifier: Apache-2.0

/// The limits on what a caller can make the daemon keep (rule C5), beside those of `config.toml` and of ``BusFlow``.
package enum CallerLimits {
    /// Connections of one app that watch.
    package static let watchers = 64
    /// Objects whose changes one connection is told of because it has read their properties.
    package static let readObjects = 20_000
    /// Read objects of a connection from which on it is told of no changes to sessions that do not exist yet.
    package static let guessedSessions = 256
    /// Background sessions of one app.
    package static let sessions = 100
    /// Bytes of a task's note.
    package static let noteBytes = 16 << 10
    /// Bytes of header fields of one request, and of a session's own.
    package static let headerBytes = 64 << 10
    /// Bytes of URLs, header fields, notes and names that an app's unfinished transfers and unacknowledged events have
    /// together. The daemon keeps each twice at most: below 32 MB of memory and 64 MB of disk for an app.
    package static let bookkeepingBytes = 14 << 20
    /// Numbers of tasks that a session may leave out: its app makes tasks in another order than it starts them.
    package static let taskGap = 10_000
    /// Transfers whose changes a caller may miss before it is told nothing any more.
    package static let missedChanges = 20_000
}
