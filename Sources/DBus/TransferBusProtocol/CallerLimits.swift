// SPDX-License-Identifier: Apache-2.0

/// The limits on the data that a caller can make the daemon keep (rule C5). `config.toml` and `BusFlow` define
/// further limits.
package enum CallerLimits {
    /// The maximum number of watching connections of an app.
    package static let watchers = 64
    /// The maximum number of commands that run under conditions and are registered.
    package static let commands = 100
    /// The maximum size of a task's note, in bytes.
    package static let noteBytes = 16 << 10
    /// The maximum size of the header fields of a request, and of a session's own header fields, in bytes.
    package static let headerBytes = 64 << 10
    /// The number of transfers whose changes a caller may miss before it no longer receives changes.
    package static let missedChanges = 20_000
}
