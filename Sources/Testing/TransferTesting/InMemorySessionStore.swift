// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import Synchronization
package import TransferEngine
package import TransferModel
package import TransferSessions

/// A session store for tests, which accompanies an `InMemoryTransferStore`.
///
/// Records are encoded as JSON, as on a real disk. A property that is not encoded is lost in a restart.
package final class InMemorySessionStore: SessionStore {
    /// The contents that outlive a store.
    package final class Disk: Sendable {
        fileprivate struct Contents {
            var sessions: [SessionKey: Data] = [:]
            var tasks: [SessionKey: [Int: Data]] = [:]
            var commits: [[SessionChange]] = []
            var failures = 0
        }

        fileprivate let contents = Mutex(Contents())

        /// Creates an empty disk.
        package init() {}

        /// All commits so far, oldest first.
        package var commits: [[SessionChange]] { contents.withLock(\.commits) }

        /// Makes the next `count` commits fail.
        package func failNext(_ count: Int) { contents.withLock { $0.failures = count } }
    }

    private let disk: Disk
    private let transfers: InMemoryTransferStore

    /// Creates a store on `disk`, which accompanies `transfers`.
    package init(disk: Disk, transfers: InMemoryTransferStore) {
        self.disk = disk
        self.transfers = transfers
    }

    package func sessions() async throws -> [StoredSession] {
        let (sessions, tasks) = disk.contents.withLock { ($0.sessions, $0.tasks) }
        let decoder = JSONDecoder()
        return try sessions.sorted { $0.key < $1.key }.map { key, data in
            StoredSession(
                key: key, record: try decoder.decode(SessionRecord.self, from: data),
                tasks: try (tasks[key] ?? [:]).mapValues { try decoder.decode(TaskRecord.self, from: $0) })
        }
    }

    package func commit(_ changes: [SessionChange]) async throws {
        // Yields within the commit, so that a host that reports a change before it is saved is detected.
        await Task.yield()
        let encoder = JSONEncoder()
        try disk.contents.withLock { contents in
            if contents.failures > 0 {
                contents.failures -= 1
                throw TransferStoreError(code: .diskFull, message: "the disk is full")
            }
            for change in changes {
                switch change {
                case .session(let key, let record): contents.sessions[key] = try encoder.encode(record)
                case .task(let key, let record):
                    contents.tasks[key, default: [:]][record.snapshot.identifier] = try encoder.encode(record)
                case .taskRemoved(let key, let number): contents.tasks[key]?[number] = nil
                case .removed(let key): (contents.sessions[key], contents.tasks[key]) = (nil, nil)
                }
            }
            contents.commits.append(changes)
        }
    }

    package func transfers(forKeys keys: [String]) async throws -> [String: StoredTransfer] {
        var found: [String: StoredTransfer] = [:]
        for key in keys { found[key] = try await transfers.latest(forKey: key) }
        return found
    }

    package func transfers(_ ids: [TransferID]) async throws -> [StoredTransfer] { try await transfers.transfers(ids) }
}
