// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
internal import GRDB
internal import Glibc
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
        /// Whether it cannot fail by itself, so that it needs no savepoint.
        var isSure = false
        var run: @Sendable (Database) throws -> Answer
        var refuse: @Sendable (TransferStoreError) -> Void
    }

    private struct State: Sendable {
        var waiting: [Request] = []
        /// Whether the writer has been told of what waits.
        var isScheduled = false
        /// Whether it will be told, at the latest when what can wait has waited long enough.
        var isTimed = false
        var isClosed = false
        var needsScrub = false
        /// How often secrets were erased.
        var scrubs = 0
        /// Whether upkeep is on its way.
        var isIdleAwaited = false
        var lastBatch = ContinuousClock.now
    }

    private enum Fate {
        case saved(Answer)
        case refused(TransferStoreError)
    }

    private let database: DatabaseQueue
    private let rows: TransferRows
    private let path: String
    private let busyMilliseconds: Int
    private let state = Mutex(State())
    private let idleTime: Duration
    /// What is done once nothing was committed for `idleTime`.
    private let onIdle = Mutex<(@Sendable () -> Void)?>(nil)
    private let log = LogKeeper()

    init(database: DatabaseQueue, rows: TransferRows, path: String, busyMilliseconds: Int, idleTime: Duration) {
        self.idleTime = idleTime
        self.database = database
        self.rows = rows
        self.path = path
        self.busyMilliseconds = busyMilliseconds
    }

    /// Whether requests are refused.
    var isClosed: Bool { state.withLock(\.isClosed) }

    /// How many requests wait for the writer.
    var waitingCount: Int { state.withLock(\.waiting.count) }

    /// Carries `body` out in a transaction and returns when that is durably on disk.
    ///
    /// - Parameter isSure: whether `body` fails only where the whole transaction does.
    func perform<Value: Sendable>(
        isSure: Bool = false, _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            enqueue(
                Request(
                    isSure: isSure,
                    run: { database in
                        let value = try body(database)
                        return { error in continuation.resume(with: error.map(Result.failure) ?? .success(value)) }
                    },
                    refuse: { continuation.resume(throwing: $0) }))
        }
    }

    /// Carries `body` out with the next transaction, after two seconds where there is none; nobody is told how it went.
    func performLater(_ body: @escaping @Sendable (Database) throws -> Void) {
        let request = Request(
            run: { database in
                try body(database)
                return { _ in }
            }, refuse: { _ in })
        let needsTimer = state.withLock { state in
            guard !state.isClosed else { return false }
            state.waiting.append(request)
            defer { state.isTimed = true }
            return !state.isTimed && !state.isScheduled
        }
        guard needsTimer else { return }
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .seconds(2)) { [weak self] in
            self?.state.withLock { state in
                state.isTimed = false
                self?.schedule(&state)
            }
        }
    }

    /// Returns when all that was handed over before has been carried out.
    func flush() async { try? await perform { _ in } }

    /// Has the log emptied when there is a moment for it, so that removed secrets do not live on in its old frames.
    ///
    /// The backup may have them too, so it goes; idle time makes another.
    func scrubLater() {
        state.withLock { state in
            state.needsScrub = true
            state.scrubs += 1
        }
        unlink(SQLiteStore.backupFile(of: path))
    }

    /// How often secrets were erased.
    var scrubCount: Int { state.withLock(\.scrubs) }

    /// Has something done whenever nothing was committed for a while after something was.
    func whenIdle(_ body: @escaping @Sendable () -> Void) { onIdle.withLock { $0 = body } }

    /// Takes the log out of SQLite's hands: it is copied into the database beside the commits, not within one of them.
    func keepLog(of database: Database) { log.attach(to: database) }

    /// Waits for idle time, once: no timer is left when there is nothing to do.
    private func awaitIdle() {
        let isNew = state.withLock { state in
            state.lastBatch = .now
            defer { state.isIdleAwaited = true }
            return !state.isIdleAwaited && !state.isClosed
        }
        if isNew { lookForIdle(after: idleTime) }
    }

    private func lookForIdle(after delay: Duration) {
        let milliseconds = SQLiteStore.milliseconds(max(delay, .milliseconds(1)))
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [weak self] in
            guard let self else { return }
            let (rest, isOver) = state.withLock { state -> (Duration, Bool) in
                let rest = idleTime - (ContinuousClock.now - state.lastBatch)
                if rest <= .zero { state.isIdleAwaited = false }
                return (rest, state.isClosed)
            }
            if isOver { return }
            if rest > .zero { return lookForIdle(after: rest) }
            let body = onIdle.withLock { $0 }
            body?()
        }
    }

    /// Refuses requests from here on; those that came before are still carried out.
    func refuseFurtherRequests() {
        state.withLock { state in
            state.isClosed = true
            schedule(&state)
        }
    }

    /// The answer to a call after `close()`.
    static func closed(_ path: String) -> TransferStoreError {
        TransferStoreError(code: .other, message: "The queue \(path) has been closed; open it again to use it.")
    }

    private func enqueue(_ request: Request) {
        let isClosed = state.withLock { state in
            guard !state.isClosed else { return true }
            state.waiting.append(request)
            schedule(&state)
            return false
        }
        if isClosed { request.refuse(Self.closed(path)) }
    }

    /// Tells the writer of what waits. Under the lock, so that `close()` cannot slip between a request and its turn.
    private func schedule(_ state: inout State) {
        guard !state.isScheduled, !state.waiting.isEmpty else { return }
        state.isScheduled = true
        database.asyncWriteWithoutTransaction { self.drain($0) }
    }

    /// Runs on the connection's serial queue.
    private func drain(_ database: Database) {
        let batch = state.withLock { state in
            defer { (state.waiting, state.isScheduled) = ([], false) }
            return state.waiting
        }
        var fates: [Fate] = []
        if database.isInsideTransaction { try? database.rollback() }
        do {
            try database.inTransaction(.immediate) {
                for request in batch { fates.append(try run(request, in: database)) }
                try rows.finish(database)
                return .commit
            }
            rows.forget(isRolledBack: false)
        } catch {
            rows.forget(isRolledBack: true)
            let failure = TransferStoreError(wrapping: error, path: path)
            if failure.code == .corrupt { SQLiteStore.suspect(path) }
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
        log.shrinkIfLong(database, path: path)
        awaitIdle()
    }

    /// One request in its savepoint. Throws only what dooms the whole transaction.
    private func run(_ request: Request, in database: Database) throws -> Fate {
        if request.isSure { return .saved(try request.run(database)) }
        do {
            var answer: Answer?
            try database.inSavepoint {
                answer = try request.run(database)
                return .commit
            }
            guard let answer else { return .refused(Self.closed(path)) }
            return .saved(answer)
        } catch let error as TransferStoreError {
            rows.forgetClasses()
            return .refused(error.naming(path))
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            rows.forgetClasses()
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
