// SPDX-License-Identifier: Apache-2.0
internal import Logging
internal import SessionLogic
internal import TransferEngine
internal import TransferModel

/// The stored rows of sessions, read at startup and saved before any report.
struct SessionRows: Sendable {
    let store: any SessionStore
    let sleep: @Sendable (Duration) async throws -> Void
    let logger: Logger

    /// Saves changes that cannot be refused. Returns after the changes are durable, however long that takes.
    nonisolated(nonsending) func save(_ changes: [SessionChange]) async {
        var pause = Duration.seconds(1)
        while true {
            do {
                return try await store.commit(changes)
            } catch {
                logger.error("could not save a session; retrying", metadata: ["why": "\(error)"])
                do { try await sleep(pause) } catch { return }
                pause = min(pause * 2, .seconds(60))
            }
        }
    }

    /// Saves the changes that a process requests, or refuses the request.
    nonisolated(nonsending) func commit(_ changes: [SessionChange]) async throws(SessionRefusal) {
        guard !changes.isEmpty else { return }
        do {
            try await store.commit(changes)
        } catch {
            throw SessionRefusal(code: .unavailable, message: "\(error)")
        }
    }

    /// Returns the transfers of a session's unfinished tasks, by the numbers of the tasks.
    nonisolated(nonsending) func transfers(of stored: StoredSession) async throws -> [Int: StoredTransfer] {
        let open = stored.tasks.filter { $0.value.end == nil }
        let keys = open.filter { $0.value.transfer == nil }.mapValues {
            stored.key.transferKey(of: $0.snapshot.identifier, again: $0.generation)
        }
        let byKey = try await store.transfers(forKeys: Array(keys.values))
        let byNumber = try await store.transfers(open.values.compactMap(\.transfer))
        return open.compactMapValues { task in
            byNumber.first { $0.id == task.transfer }
                ?? byKey[stored.key.transferKey(of: task.snapshot.identifier, again: task.generation)]
        }
    }
}
