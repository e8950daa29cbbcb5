// SPDX-License-Identifier: Apache-2.0

/// The limits on what a caller can make the daemon keep (rule C5), beside those of `config.toml` and of ``BusFlow``.
package enum CallerLimits {
    /// Connections of one app that watch.
    package static let watchers = 64
    /// Objects whose changes one connection is told of because it has read their properties.
    package static let readObjects = 20_000
    /// Read objects of a connection from which on it is told of no changes to sessions that do not exist yet.
    package static let guessedSessions = 256
    /// Bytes of a task's note.
    package static let noteBytes = 16 << 10
    /// Bytes of header fields of one request, and of a session's own.
    package static let headerBytes = 64 << 10
    /// Transfers whose changes a caller may miss before it is told nothing any more.
    package static let missedChanges = 20_000
}
