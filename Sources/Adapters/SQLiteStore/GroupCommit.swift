// SPDX-License-Identifier: Apache-2.0
internal import GRDB
internal import Synchronization
internal import TransferEngine

/// Turns requests that come while the disk is busy into one transaction, each of them still all or nothing.
///
/// A durable transaction costs a `fdatasync` however much it holds, so what is waiting when the writer gets free goes
/// in together, every request in its own savepoint. Requests are carried out in the order they came.
final class GroupCommit: Sendable {
    /// Answers one request once its fate is known: nil when it is on disk, else what went wrong.
    typealias Answer = @Sendable (TransferStoreError?) -> Void

    private struct Request: Sendable {
        var run: @Sendable (Database) throws -> Answer
        var refuse: @Sendable (TransferStoreError) -> Void
    }

    private struct State: Sendable {
        var waiting: [Request] = []
        var isClosed = false
        var needsScrub = false
    }

    private enum Fate {
        case saved(Answer)
        case refused(TransferStoreError)
    }

    private let database: DatabaseQueue
    private let path: String
    private let busyMilliseconds: Int
    private let state = Mutex(State())

    init(database: DatabaseQueue, path: String, busyMilliseconds: Int) {
        self.database = database
        self.path = path
        self.busyMilliseconds = busyMilliseconds
    }

    /// Whether requests are refused.
    var isClosed: Bool { state.withLock(\.isClosed) }

    /// How many requests wait for the writer.
    var waitingCount: Int { state.withLock(\.waiting.count) }

    /// Carries `body` out in a transaction and returns when that is durably on disk.
    func perform<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            enqueue(
                Request(
                    run: { database in
                        let value = try body(database)
                        return { error in continuation.resume(with: error.map(Result.failure) ?? .success(value)) }
                    },
                    refuse: { continuation.resume(throwing: $0) }))
        }
    }

    /// Has the log emptied when there is a moment for it, so that removed secrets do not live on in its old frames.
    func scrubLater() {
        state.withLock { $0.needsScrub = true }
    }

    /// Refuses requests from here on; those that came before are still carried out.
    func refuseFurtherRequests() {
        state.withLock { $0.isClosed = true }
    }

    /// The answer to a call after `close()`.
    static func closed(_ path: String) -> TransferStoreError {
        TransferStoreError(code: .other, message: "The queue \(path) has been closed; open it again to use it.")
    }

    private func enqueue(_ request: Request) {
        let isClosed = state.withLock { state in
            guard !state.isClosed else { return true }
            state.waiting.append(request)
            // Scheduled under the lock, so that `close()` cannot slip between a request and its turn.
            if state.waiting.count == 1 { database.asyncWriteWithoutTransaction { self.drain($0) } }
            return false
        }
        if isClosed { request.refuse(Self.closed(path)) }
    }

    /// Runs on the connection's serial queue.
    private func drain(_ database: Database) {
        let batch = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        var fates: [Fate] = []
        if database.isInsideTransaction { try? database.rollback() }
        do {
            try database.inTransaction(.immediate) {
                for request in batch { fates.append(try run(request, in: database)) }
                return .commit
            }
        } catch {
            let failure = TransferStoreError(wrapping: error, path: path)
            for request in batch { request.refuse(failure) }
            return
        }
        for (request, fate) in zip(batch, fates) {
            switch fate {
            case .saved(let answer): answer(nil)
            case .refused(let error): request.refuse(error)
            }
        }
        scrubIfNeeded(database)
    }

    /// One request in its savepoint. Throws only what dooms the whole transaction.
    private func run(_ request: Request, in database: Database) throws -> Fate {
        do {
            var answer: Answer?
            try database.inSavepoint {
                answer = try request.run(database)
                return .commit
            }
            guard let answer else { return .refused(Self.closed(path)) }
            return .saved(answer)
        } catch let error as TransferStoreError {
            return .refused(error.naming(path))
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            return .refused(TransferStoreError(error, path: path))
        }
    }

    /// Copies the log into the database and cuts it to nothing, unless another process reads it: then a later turn,
    /// or whoever closes the database last, does it.
    private func scrubIfNeeded(_ database: Database) {
        guard state.withLock({ $0.needsScrub && $0.waiting.isEmpty }) else { return }
        do {
            try database.execute(sql: "PRAGMA busy_timeout = 0")
            defer { try? database.execute(sql: "PRAGMA busy_timeout = \(busyMilliseconds)") }
            try database.checkpoint(.truncate)
            state.withLock { $0.needsScrub = false }
        } catch {
            // Busy, or no room: what was committed is safe all the same, and the flag asks for another try.
        }
    }
}
