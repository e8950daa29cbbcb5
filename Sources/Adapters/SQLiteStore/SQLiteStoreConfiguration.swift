// SPDX-License-Identifier: Apache-2.0

/// Where a store keeps its queue and which part of it concerns its owner.
public struct SQLiteStoreConfiguration: Hashable, Sendable {
    /// Which transfers `unfinished()` answers with.
    public enum Scope: Hashable, Sendable {
        /// All of them: a daemon owns its whole queue.
        case all
        /// Those of these keys only: a `get` continues its own and leaves those of its neighbours alone.
        case keys([String])
    }

    /// The database file's path. Its folder is made (mode 0700) where it is missing; the file has mode 0600.
    public var path: String
    /// Which transfers `unfinished()` answers with. Default: all.
    public var scope: Scope
    /// How long to wait for another process that writes at the same time before it counts as hung. Default: 30 s.
    public var busyTimeout: Duration

    /// A configuration; what is not named has its default.
    public init(path: String, scope: Scope = .all, busyTimeout: Duration = .seconds(30)) {
        self.path = path
        self.scope = scope
        self.busyTimeout = busyTimeout
    }
}
