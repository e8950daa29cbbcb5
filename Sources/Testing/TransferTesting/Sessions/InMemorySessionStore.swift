// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import Synchronization
package import TransferEngine
package import TransferModel
package import TransferSessions

/// Sessions for tests, beside the transfers of an `InMemoryTransferStore`.
///
/// What is kept goes through JSON, as on a real disk: what a value does not write down is not there after a restart.
package final class InMemorySessionStore: SessionStore {
    /// What outlives a store.
    package final class Disk: Sendable {
        fileprivate struct Contents {
            var sessions: [SessionKey: Data] = [:]
            var tasks: [SessionKey: [Int: Data]] = [:]
            var commits: [[SessionChange]] = []
            var failures = 0
        }

        fileprivate let contents = Mutex(Contents())

        /// An empty disk.
        package init() {}

        /// Every commit so far, oldest first.
        package var commits: [[SessionChange]] { contents.withLock(\.commits) }

        /// Makes the next commits fail, so many of them.
        package func failNext(_ count: Int) { contents.withLock { $0.failures = count } }
    }

    private let disk: Disk
    private let transfers: InMemoryTransferStore

    /// A store on `disk`, beside `transfers`.
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
        // Others get their turn within: a host that tells before it has saved is found out.
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
