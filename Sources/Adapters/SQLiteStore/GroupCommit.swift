// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
internal import GRDB
internal import Glibc
internal import Synchronization
internal import TransferEngine
internal import TransferModel

/// Commits requests that arrive while the disk is busy in one transaction. Each request stays all-or-nothing.
///
/// A durable transaction costs one `fdatasync`, no matter how many changes it contains. When the writer becomes free,
/// the writer runs all waiting requests in one transaction, each request in its own savepoint. Requests that arrive
/// during those writes join the same transaction. Requests run in the order of their arrival.
final class GroupCommit: Sendable {
    private struct State: Sendable {
        var waiting: [any WriteRequest] = []
        /// Whether the writer has been notified of the waiting requests, or has an open transaction that they will
        /// join.
        var isScheduled = false
        /// Whether a timer is running that notifies the writer. The timer limits the wait of deferrable requests.
        var isTimed = false
        var isClosed = false
        var needsScrub = false
        var upkeep: UpkeepSchedule
    }

    private let database: DatabaseQueue
    private let rows: TransferRows
    private let path: String
    private let busyMilliseconds: Int
    private let state: Mutex<State>
    /// The closure to run when upkeep is due.
    private let onUpkeep = Mutex<(@Sendable () -> Void)?>(nil)
    private let log = LogCheckpointer()

    init(database: DatabaseQueue, rows: TransferRows, path: String, busyMilliseconds: Int, upkeep: UpkeepSchedule) {
        state = Mutex(State(upkeep: upkeep))
        self.database = database
        self.rows = rows
        self.path = path
        self.busyMilliseconds = busyMilliseconds
    }

    /// Whether new requests are refused.
    var isClosed: Bool { state.withLock(\.isClosed) }

    /// The number of requests that wait for the writer.
    var waitingCount: Int { state.withLock(\.waiting.count) }

    /// Runs the changes of a request in a transaction, all or none. Returns after the transaction is durable.
    ///
    /// - Returns: The IDs of the new transfers.
    func commit(_ request: ChangesRequest) async throws -> [TransferID] {
        try await withUnsafeThrowingContinuation { continuation in
            request.wait(by: continuation)
            enqueue(request)
        }
        return request.assignedIDs
    }

    /// Runs `body` in a transaction and returns after the transaction is durable.
    ///
    /// - Parameter body: The changes to make. Returns `true` if the changes left bytes that may be secret in free
    ///   space of the file.
    func perform(_ body: @escaping @Sendable (Database) throws -> Bool) async throws {
        try await withCheckedThrowingContinuation { enqueue(OtherRequest($0, body)) }
    }

    /// Runs `body` with the next transaction, or after two seconds if no other transaction begins. Errors are ignored.
    func performLater(_ body: @escaping @Sendable (Database) throws -> Void) {
        let request = OtherRequest(nil) { database in
            try body(database)
            return false
        }
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

    /// Returns after all requests that were submitted before this call have run.
    func flush() async { try? await perform { _ in false } }

    /// Requests a checkpoint that truncates the log, so that removed secrets do not survive in old frames of the log.
    /// The backup may also contain the secrets; the next upkeep renews the backup.
    private func scrubLater() {
        state.withLock { state in
            state.needsScrub = true
            state.upkeep.secretsEnded(at: .now)
        }
    }

    /// Records that the log contains data that must not stay in the log.
    func needsScrub() { state.withLock { $0.needsScrub = true } }

    /// Resets the record of erased secrets, and returns whether secrets were erased since the last upkeep began.
    func consumeEndedSecrets() -> Bool { state.withLock { $0.upkeep.consumeEndedSecrets() } }

    /// Records again that erased secrets are still in a file. Call after a failed upkeep.
    func restoreEndedSecrets() { state.withLock { $0.upkeep.restoreEndedSecrets(at: .now) } }

    /// Whether secrets were erased since the store was opened.
    var hasErasedSecrets: Bool { state.withLock(\.upkeep.hasEndedSecrets) }

    /// Sets the closure to run when upkeep is due. Upkeep is due after an idle time that follows a commit. On a store
    /// that is never idle, upkeep is due after a maximum time.
    func whenUpkeepIsDue(_ body: @escaping @Sendable () -> Void) { onUpkeep.withLock { $0 = body } }

    /// Replaces SQLite's automatic checkpoints: the log is copied into the database concurrently with the commits.
    func checkpointLog(of database: Database) { log.attach(to: database) }

    /// Records a commit. Starts upkeep immediately if upkeep is overdue, otherwise at the next idle time.
    private func awaitUpkeep() {
        runStep(state.withLock { state in state.isClosed ? .none : state.upkeep.committed(at: .now) })
    }

    private func runStep(_ step: UpkeepSchedule.Step) {
        switch step {
        case .none: break
        case .checkAgain(let delay): checkForIdle(after: delay)
        case .begin: DispatchQueue.global(qos: .utility).async { [weak self] in self?.performUpkeep() }
        }
    }

    /// Checks once, after `delay`, whether upkeep can run. Checks again only if upkeep is still pending.
    private func checkForIdle(after delay: Duration) {
        let milliseconds = max(delay, .milliseconds(1)).wholeMilliseconds
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [weak self] in
            guard let self else { return }
            runStep(state.withLock { state in state.isClosed ? .none : state.upkeep.checked(at: .now) })
        }
    }

    private func performUpkeep() {
        onUpkeep.withLock { $0 }?()
        runStep(state.withLock { state in state.upkeep.ended(at: .now) })
    }

    /// Refuses all further requests. Requests that arrived earlier still run.
    func refuseFurtherRequests() {
        state.withLock { state in
            state.isClosed = true
            schedule(&state)
        }
    }

    /// The error of a call after `close()`.
    static func closed(_ path: String) -> TransferStoreError {
        TransferStoreError(code: .other, message: "The queue \(path) has been closed; open it again to use it.")
    }

    private func enqueue(_ request: any WriteRequest) {
        let isClosed = state.withLock { state in
            guard !state.isClosed else { return true }
            state.waiting.append(request)
            schedule(&state)
            return false
        }
        if isClosed { request.complete(Self.closed(path)) }
    }

    /// Notifies the writer of the waiting requests. Must run under the lock, so that `close()` cannot run between the
    /// arrival of a request and its transaction.
    private func schedule(_ state: inout State) {
        guard !state.isScheduled, !state.waiting.isEmpty else { return }
        state.isScheduled = true
        database.asyncWriteWithoutTransaction { self.runWaitingRequests($0) }
    }

    /// Runs the waiting requests in one transaction, on the connection's serial queue.
    private func runWaitingRequests(_ database: Database) {
        var batch = Batch()
        batch.requests += runStep(isLast: false)
        do {
            if database.isInsideTransaction { try database.rollback() }
            let statements = try rows.prepared()
            try statements.begin.run()
            try runNew(of: &batch, statements, in: database)
            batch.requests += runStep(isLast: true)
            try runNew(of: &batch, statements, in: database)
            try rows.events.foldIfMany(database)
            try statements.commit.run()
            rows.endTransaction(isRolledBack: false)
        } catch {
            // Requests that arrived during this transaction run in the next transaction.
            state.withLock { state in
                state.isScheduled = false
                schedule(&state)
            }
            if database.isInsideTransaction { try? database.rollback() }
            rows.endTransaction(isRolledBack: true)
            let failure = TransferStoreError(wrapping: error, path: path)
            if failure.code == .corrupt { QueueFile(path: path).markSuspect() }
            for request in batch.requests { request.complete(failure) }
            return
        }
        // Completes the requests on this thread. Another thread would occupy the processor on which the callers
        // continue.
        for (index, request) in batch.requests.enumerated() { request.complete(batch.refusals[index]) }
        scrubIfNeeded(database)
        log.shrinkIfLong(database, path: path)
        awaitUpkeep()
    }

    /// The requests of one transaction.
    private struct Batch {
        var requests: [any WriteRequest] = []
        /// The number of requests that have run or were refused.
        var done = 0
        var refusals: [Int: TransferStoreError] = [:]
    }

    /// Removes and returns the requests that arrived since the last call. Requests that arrive after the last call
    /// wait for the next transaction.
    private func runStep(isLast: Bool) -> [any WriteRequest] {
        state.withLock { state in
            if isLast { state.isScheduled = false }
            defer { state.waiting = [] }
            return state.waiting
        }
    }

    private func runNew(of batch: inout Batch, _ statements: Statements, in database: Database) throws {
        for index in batch.done..<batch.requests.count {
            if let refusal = try run(batch.requests[index], statements, in: database) {
                batch.refusals[index] = refusal
            }
        }
        batch.done = batch.requests.count
    }

    /// Runs a request in its savepoint.
    ///
    /// - Returns: The error if the request was refused, otherwise `nil`.
    /// - Throws: Only errors that fail the whole transaction.
    private func run(
        _ request: any WriteRequest, _ statements: Statements, in database: Database
    ) throws -> TransferStoreError? {
        let hasRemovedSecrets: Bool
        if request.cannotFail {
            hasRemovedSecrets = try request.run(in: database, rows)
        } else {
            try statements.save.run()
            do {
                hasRemovedSecrets = try request.run(in: database, rows)
                try statements.release.run()
            } catch let error as TransferStoreError {
                try rollBack(statements)
                return error.naming(path)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                try rollBack(statements)
                return TransferStoreError(error, path: path)
            }
        }
        if hasRemovedSecrets { scrubLater() }
        return nil
    }

    private func rollBack(_ statements: Statements) throws {
        rows.classes.discardNew()
        try statements.rollBack.run()
        try statements.release.run()
    }

    /// Copies the log into the database and truncates the log to zero length. If another process reads the log, a
    /// later transaction does both, or the process that closes the database last.
    ///
    /// - Parameter isForced: Whether the log is truncated even if requests are waiting.
    func scrubIfNeeded(_ database: Database, isForced: Bool = false) {
        guard state.withLock({ $0.needsScrub && (isForced || $0.waiting.isEmpty) }) else { return }
        do {
            try database.execute(sql: "PRAGMA busy_timeout = 0")
            defer { try? database.execute(sql: "PRAGMA busy_timeout = \(busyMilliseconds)") }
            try database.checkpoint(.truncate)
            state.withLock { $0.needsScrub = false }
        } catch {
            // Busy, or the disk is full. The committed data is safe, and the flag requests another attempt.
        }
    }
}
